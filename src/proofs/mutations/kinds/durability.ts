// What a store does not write down any more: acknowledged, and gone after a crash.

import { type Candidate, mutationKind } from '../mutation-kind.ts'
import { identifier, sql } from '../shell.ts'
import { has, inOne, machinesOf, redis } from '../subject.ts'

export const kind = mutationKind({
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
              `v=$(rabbitmqctl -q list_vhosts --no-table-headers | grep -v '^/$' | head -1)\nrabbitmqctl -q set_policy -p "$v" --priority 90 tidy '.*' '{"message-ttl": 600000}'`,
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
