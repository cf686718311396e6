// What a store does not write down any more: acknowledged, and gone after a crash.

import { type Candidate, changeKind } from '../../changes/change-kind.ts'
import { identifier, sql } from '../../changes/shell.ts'
import { firstVhost, has, inOne, machinesOf, redis } from '../../changes/subject.ts'

export const kind = changeKind({
  means: 'stores that acknowledge what they have not written',
  candidates: (subject) => [
    ...subject.seen.databases.flatMap((database): Candidate[] => {
      const one = (what: string, ...statements: string[]) => ({
        name: `${database.service}: ${what}`,
        steps: [sql(database, ...statements)],
      })
      const server = (setting: string, value: string) =>
        one(`${setting} is ${value} for the server`, `ALTER SYSTEM SET ${setting} = ${value}`, 'SELECT pg_reload_conf()')
      return [
        ...['synchronous_commit', 'fsync', 'full_page_writes', 'autovacuum'].map((setting) => server(setting, 'off')),
        one('synchronous_commit is off for the database', `ALTER DATABASE ${identifier(database.database)} SET synchronous_commit = off`),
        ...database.logins.map((login) =>
          one(`synchronous_commit is off for ${login}`, `ALTER ROLE ${identifier(login)} SET synchronous_commit = off`),
        ),
        ...database.logins.map((login) =>
          one(
            `synchronous_commit is off for ${login} in the database`,
            `ALTER ROLE ${identifier(login)} IN DATABASE ${identifier(database.database)} SET synchronous_commit = off`,
          ),
        ),
      ]
    }),
    ...machinesOf(subject).flatMap((machine) => [
      ...(has(machine, 'redis-cli')
        ? [
            inOne(machine.name, 'redis writes no log of changes', `${redis}\nok CONFIG SET appendonly no\nok CONFIG REWRITE`),
            inOne(machine.name, 'redis leaves writing to the kernel', `${redis}\nok CONFIG SET appendfsync no\nok CONFIG REWRITE`),
            inOne(machine.name, 'redis waits for no replica', `${redis}\nok CONFIG SET min-replicas-to-write 0\nok CONFIG REWRITE`),
          ]
        : []),
      ...(has(machine, 'rabbitmqctl')
        ? [
            inOne(
              machine.name,
              'rabbitmq lets messages expire',
              `${firstVhost}\nrabbitmqctl -q set_policy -p "$v" --priority 90 tidy '.*' '{"message-ttl": 600000}'`,
            ),
            inOne(
              machine.name,
              'rabbitmq deletes queues that nobody reads for an hour',
              `${firstVhost}\nrabbitmqctl -q set_operator_policy -p "$v" --apply-to queues tidy '.*' '{"expires": 3600000}'`,
            ),
          ]
        : []),
      ...(has(machine, 'rndc')
        ? [
            inOne(
              machine.name,
              'bind has copies thrown away when the primary is silent for half a minute',
              'f=$(grep -lE "[0-9]{5,}[[:space:]]*; expire" /var/lib/bind/*.db | head -1)\n[ -n "$f" ]\nrndc freeze || true\nsed -i -E "s/[0-9]{5,}([[:space:]]*; expire)/30\\1/" "$f"\nrndc thaw || rndc reload',
            ),
            inOne(
              machine.name,
              'bind keeps its copy in memory only',
              'f=$(grep -rlE "type (slave|secondary)" /etc/bind | head -1)\n[ -n "$f" ]\nsed -i "/^[[:space:]]*file /d" "$f"\nrndc reconfig',
            ),
          ]
        : []),
      ...(has(machine, 'etcdctl')
        ? [inOne(machine.name, 'etcd does not sync', "f=/etc/default/etcd\n[ -f $f ]\necho 'ETCD_UNSAFE_NO_FSYNC=true' >> $f")]
        : []),
      ...(has(machine, 'mosquitto')
        ? [
            inOne(
              machine.name,
              'mosquitto keeps nothing',
              'f=$(grep -rl \'^persistence \' /etc/mosquitto | head -1)\n[ -n "$f" ]\nsed -i \'s/^persistence .*/persistence false/\' "$f"\npkill -HUP -x mosquitto',
            ),
          ]
        : []),
    ]),
  ],
})
