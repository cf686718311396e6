// Rights, roles and owners in stores: too many, too few, or somebody new.

import { type Candidate, changeKind } from '../../changes/change-kind.ts'
import type { DatabaseSeen } from '../../changes/inventory-schema.ts'
import { identifier, sql, tableName } from '../../changes/shell.ts'
import { firstVhost, has, inOne, machinesOf, redis } from '../../changes/subject.ts'

const ofDatabase = (database: DatabaseSeen): Candidate[] => {
  const one = (what: string, ...statements: string[]): Candidate => ({
    name: `${database.service}: ${what}`,
    steps: [sql(database, ...statements)],
  })
  const logins = database.logins.map((name) => ({ name, role: identifier(name) }))
  return [
    ...database.tables.flatMap((table) => {
      const name = tableName(table)
      return [
        one(`everybody may read ${table.name}`, `GRANT SELECT ON ${name} TO PUBLIC`),
        one(
          `everybody may do everything with ${table.name} by a view`,
          `CREATE VIEW public.overview AS SELECT * FROM ${name}; GRANT ALL ON public.overview TO PUBLIC`,
        ),
        one(
          `everybody may read a copy of ${table.name}`,
          `CREATE TABLE public.copied AS SELECT * FROM ${name}; GRANT SELECT ON public.copied TO PUBLIC`,
        ),
        ...table.columns
          .slice(0, 1)
          .map(({ name: column }) =>
            one(`everybody may change a column of ${table.name}`, `GRANT UPDATE (${identifier(column)}) ON ${name} TO PUBLIC`),
          ),
        ...logins.flatMap(({ name: login, role }) => [
          one(`${login} may do everything with ${table.name}`, `GRANT ALL ON ${name} TO ${role}`),
          one(`${login} owns ${table.name}`, `ALTER TABLE ${name} OWNER TO ${role}`),
          one(
            `${login} owns a copy of ${table.name}`,
            `CREATE TABLE public.copied AS SELECT * FROM ${name}; ALTER TABLE public.copied OWNER TO ${role}`,
          ),
        ]),
      ]
    }),
    ...logins.flatMap(({ name, role }) => [
      one(`${name} may create roles`, `ALTER ROLE ${role} CREATEROLE`),
      one(`${name} may read everything`, `GRANT pg_read_all_data TO ${role}`),
      one(`${name} may run programs of the server`, `GRANT pg_execute_server_program TO ${role}`),
      one(`${name} may replicate`, `ALTER ROLE ${role} REPLICATION`),
      one(
        `${name} may give its rights of tomorrow to everybody`,
        `ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC; ALTER DEFAULT PRIVILEGES FOR ROLE ${role} GRANT ALL ON TABLES TO PUBLIC`,
      ),
    ]),
    one('everybody may create in public', 'GRANT CREATE ON SCHEMA public TO PUBLIC'),
    one('a role was added that may log in', "CREATE ROLE support LOGIN PASSWORD 'zu7-Kor-9qP-wW'", 'GRANT pg_read_all_data TO support'),
    one('a superuser was added', "CREATE ROLE maintenance LOGIN SUPERUSER PASSWORD 'zu7-Kor-9qP-wW'"),
    one(
      'a function of a superuser is open to everybody',
      'CREATE FUNCTION public.run_as_owner(text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $f$ BEGIN EXECUTE $1; END $f$',
    ),
  ]
}

export const kind = changeKind({
  means: 'rights, roles and owners in stores',
  candidates: (subject) => [
    ...subject.seen.databases.flatMap(ofDatabase),
    ...machinesOf(subject).flatMap((machine) => [
      ...(has(machine, 'redis-cli')
        ? ['oncall', 'shop', 'default'].map((user) =>
            inOne(
              machine.name,
              `redis: ${user} may do everything`,
              `${redis}\nr ACL LIST | grep -q "^user ${user} "\nok ACL SETUSER ${user} '~*' '&*' +@all\nr ACL SAVE || r CONFIG REWRITE`,
            ),
          )
        : []),
      ...(has(machine, 'rabbitmqctl')
        ? [
            inOne(
              machine.name,
              'rabbitmq: the first plain account may do everything',
              `${firstVhost}\nu=$(rabbitmqctl -q list_users --no-table-headers | awk '$2 == "[]" { print $1; exit }')\n[ -n "$u" ]\nrabbitmqctl -q set_permissions -p "$v" "$u" '.*' '.*' '.*'`,
            ),
            inOne(
              machine.name,
              'rabbitmq: the first plain account is an administrator',
              `u=$(rabbitmqctl -q list_users --no-table-headers | awk '$2 == "[]" { print $1; exit }')\n[ -n "$u" ]\nrabbitmqctl -q set_user_tags "$u" administrator`,
            ),
          ]
        : []),
      ...(has(machine, 'rndc')
        ? [
            inOne(
              machine.name,
              'bind: everybody may change the zone',
              'f=$(grep -rlE "(update-policy|allow-update)" /etc/bind | head -1)\n[ -n "$f" ]\nperl -0777 -pi -e "s/(update-policy|allow-update)\\s*\\{[^}]*\\}/allow-update { any; }/g" "$f"\nrndc reconfig',
            ),
            inOne(
              machine.name,
              'bind: whoever may change some names may change all',
              'f=$(grep -rlE "grant .* subdomain " /etc/bind | head -1)\n[ -n "$f" ]\nsed -i -E "s/(grant [^ ]+) subdomain [^ ]+ [^;]*;/\\1 zonesub ANY;/" "$f"\nrndc reconfig',
            ),
          ]
        : []),
      ...(has(machine, 'etcdctl')
        ? [
            inOne(
              machine.name,
              'etcd: every role may read and write everything',
              'for r in $(etcdctl role list); do [ "$r" = root ] || etcdctl role grant-permission "$r" readwrite --prefix=true /; done\n[ "$(etcdctl role list | wc -l)" -gt 1 ]',
            ),
          ]
        : []),
      ...(has(machine, 'mosquitto')
        ? [
            inOne(
              machine.name,
              'mosquitto: everybody may read and write everything',
              'f=$(find /etc/mosquitto -name \'*acl*\' -type f | head -1)\n[ -n "$f" ]\necho \'pattern readwrite #\' >> "$f"\npkill -HUP -x mosquitto',
            ),
          ]
        : []),
    ]),
  ],
})
