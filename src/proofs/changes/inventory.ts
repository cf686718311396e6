// What a repaired sandbox of a scenario holds, as root sees it from inside: files, logs, jobs, stores. It only says what could be
// changed; no verdict depends on it.

import { z } from 'zod'
import type { ScenarioInstance } from '../../catalog/scenario-instance.ts'
import type { Engine } from '../../engine/engine.ts'
import { runStep } from '../case-sandbox.ts'
import { Database, type DatabaseSeen, type FileSeen, type Inventory, type ServiceSeen } from './inventory-schema.ts'
import { quote } from './shell.ts'

const mostText = 65_536
const outputBytes = 8 * 2 ** 20
/** Logs of how the image was made tell nothing of an incident. */
const logsOfImage =
  '-path /var/log/apt -prune -o -name dpkg.log -o -name alternatives.log -o -name bootstrap.log -o -name faillog -o -name lastlog -o'
const tools = ['redis-cli', 'rabbitmqctl', 'etcdctl', 'mosquitto', 'rndc', 'nginx', 'haproxy', 'supervisord', 'runsvdir', 'python3']
const contentsOf = [
  '[ -x /usr/bin/redis-cli ] && { redis-cli --no-auth-warning --user admin --scan || redis-cli --no-auth-warning --scan; } | grep -v NOAUTH | sort | head -200',
  `[ -x /usr/bin/etcdctl ] && etcdctl get "" --prefix --keys-only | grep . | head -200`,
  `[ -x /usr/sbin/rabbitmqctl ] && for v in $(rabbitmqctl -q list_vhosts --no-table-headers); do rabbitmqctl -q -p "$v" list_queues --no-table-headers name | sed "s|^|$v |"; done`,
  '[ -d /var/lib/bind ] && find /var/lib/bind -type f -name "*.db"',
]

const script = (files: readonly string[]): string => `
exec 2>/dev/null
for f in ${files.map(quote).join(' ')}; do
  [ -f "$f" ] || continue
  stat -c 'file %u %a %n' "$f"
  [ "$(stat -c %s "$f")" -lt ${mostText} ] && grep -qI '' "$f" && { printf 'text '; base64 -w 0 "$f"; echo; }
done
find /var/log ${logsOfImage} -type f -size +0 -printf 'log %p\\n' | sort
find /etc/cron.d /var/spool/cron/crontabs -type f ! -name .placeholder -printf 'job %p\\n' | sort
find /var/lib -mindepth 1 -maxdepth 1 -type d ! -uid 0 -printf 'data %p\\n' | sort
for t in ${tools.join(' ')}; do command -v $t > /dev/null && echo "tool $t"; done
for p in /proc/[0-9]*; do readlink "$p/exe" | sed 's/^/process /'; done | sort -u
{ ${contentsOf.map((line) => `${line}`).join('\n')}
} | sed 's/^/content /'
`

const readService = (output: string): ServiceSeen => {
  const files: FileSeen[] = []
  const listed: Record<string, string[]> = {}
  for (const line of output.split('\n')) {
    const [, word = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? []
    const file = /^(\d+) (\d+) (.*)$/.exec(rest)
    if (word === 'file' && file !== null) files.push({ uid: Number(file[1]), mode: file[2] as string, path: file[3] as string, text: null })
    else if (word === 'text') files.push({ ...(files.pop() as FileSeen), text: Buffer.from(rest, 'base64').toString() })
    else if (word !== '') listed[word] = [...(listed[word] ?? []), rest]
  }
  const list = (word: string) => listed[word] ?? []
  const rest = { logs: list('log'), jobs: list('job'), dataFolders: list('data'), tools: list('tool') }
  return { files, ...rest, processes: list('process'), contents: list('content') }
}

/** One JSON document of everything in a database that its owner made. */
const describeDatabase = `
WITH own AS (SELECT c.oid, n.nspname AS schema, c.relname AS name, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema')
SELECT json_build_object(
  'tables', coalesce((SELECT json_agg(json_build_object('schema', schema, 'name', name,
      'empty', (xpath('/row/e/text()', query_to_xml(format('SELECT NOT EXISTS (SELECT FROM %I.%I) AS e', schema, name), false, true, '')))[1]::text = 'true',
      'columns', (SELECT json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, NULL), 'nullable', NOT a.attnotnull,
          'default', CASE WHEN a.attidentity <> '' OR a.attgenerated <> '' THEN 'generated' ELSE pg_get_expr(d.adbin, d.adrelid) END,
          'primary', EXISTS (SELECT FROM pg_index i WHERE i.indrelid = own.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)),
          'unique', EXISTS (SELECT FROM pg_index i WHERE i.indrelid = own.oid AND i.indisunique AND a.attnum = ANY (i.indkey))) ORDER BY a.attnum)
        FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid = own.oid AND a.attnum > 0 AND NOT a.attisdropped)) ORDER BY schema, name) FROM own WHERE relkind = 'r'), '[]'),
  'sequences', coalesce((SELECT json_agg(json_build_object('schema', schema, 'name', name) ORDER BY schema, name) FROM own WHERE relkind = 'S'), '[]'),
  'constraints', coalesce((SELECT json_agg(json_build_object('schema', schema, 'table', name, 'name', conname, 'type', contype) ORDER BY schema, name, conname)
    FROM pg_constraint JOIN own ON own.oid = conrelid), '[]'),
  'indexes', coalesce((SELECT json_agg(json_build_object('schema', schema, 'table', name, 'name', indexrelid::regclass::text, 'unique', indisunique) ORDER BY indexrelid::regclass::text)
    FROM pg_index JOIN own ON own.oid = indrelid WHERE own.relkind = 'r' AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)), '[]'),
  'triggers', coalesce((SELECT json_agg(json_build_object('schema', schema, 'table', name, 'name', tgname) ORDER BY schema, name, tgname)
    FROM pg_trigger JOIN own ON own.oid = tgrelid WHERE NOT tgisinternal), '[]'),
  'roles', (SELECT json_agg(json_build_object('name', rolname, 'login', rolcanlogin, 'superuser', rolsuper) ORDER BY rolname) FROM pg_roles WHERE rolname !~ '^pg_'))`

const StoreQuestion = z.object({ database: z.string(), logins: z.record(z.string(), z.string()), refused: z.array(z.string()).default([]) })

/** The scenario's own files of a service, and those that a repair may change. */
export const filesToLookAt = ({ topology, guards }: ScenarioInstance, service: string): string[] => {
  const { settings = {}, mayChange = [] } = guards[service] ?? {}
  const own = topology.services.find(({ name }) => name === service)?.files.map(({ path }) => path) ?? []
  return [...new Set([...own, ...Object.keys(settings), ...mayChange])].sort()
}

export const takeInventory = async (engine: Engine, sandbox: string, instance: ScenarioInstance): Promise<Inventory> => {
  const services: Record<string, ServiceSeen> = {}
  for (const { name } of instance.topology.services) {
    const { stdout } = await runStep(engine, sandbox, { in: name, run: script(filesToLookAt(instance, name)) }, outputBytes)
    services[name] = readService(stdout.toString())
  }
  const databases: DatabaseSeen[] = []
  for (const { service, question } of instance.dataStores.filter(({ kind }) => kind === 'postgres')) {
    const { database, logins, refused } = StoreQuestion.parse(question)
    const run = `cd /; setpriv --reuid=postgres --regid=postgres --init-groups psql -qAtX -d ${quote(database)} -c ${quote(describeDatabase)}\n`
    const { stdout, stderr, exitCode } = await runStep(engine, sandbox, { in: service, run }, outputBytes)
    if (exitCode !== 0) throw new Error(`the database of ${service} cannot be described: ${stderr.toString().slice(0, 200)}`)
    databases.push({ ...Database.parse(JSON.parse(stdout.toString())), service, database, logins: Object.keys(logins), refused })
  }
  return { services, databases }
}
