// Limits of stores that are far too tight, or gone: it goes on for now, and ends on a busy day.

import { type Candidate, changeKind } from '../../changes/change-kind.ts'
import { identifier, sql } from '../../changes/shell.ts'
import { bindOption, firstVhost, has, inOne, machinesOf, redis } from '../../changes/subject.ts'

export const kind = changeKind({
  means: 'limits of stores too tight or gone',
  candidates: (subject) => [
    ...subject.seen.databases.flatMap((database): Candidate[] => {
      const one = (what: string, ...statements: string[]) => ({
        name: `${database.service}: ${what}`,
        steps: [sql(database, ...statements)],
      })
      const name = identifier(database.database)
      return [
        one('the database takes 12 connections', `ALTER DATABASE ${name} CONNECTION LIMIT 12`),
        one('the server ends a statement after 700 ms', "ALTER SYSTEM SET statement_timeout = '700ms'", 'SELECT pg_reload_conf()'),
        one('the server uses 400 MB for one sort', "ALTER SYSTEM SET work_mem = '400MB'", 'SELECT pg_reload_conf()'),
        one('the server takes 15 connections', 'ALTER SYSTEM SET max_connections = 15'),
        one('deadlocks are looked for once a minute', "ALTER SYSTEM SET deadlock_timeout = '60s'", 'SELECT pg_reload_conf()'),
        ...database.logins.flatMap((login) => [
          one(`${login} gets 4 connections`, `ALTER ROLE ${identifier(login)} CONNECTION LIMIT 4`),
          one(
            `${login} may wait for ever`,
            `ALTER ROLE ${identifier(login)} SET lock_timeout = 0`,
            `ALTER ROLE ${identifier(login)} SET idle_in_transaction_session_timeout = 0`,
          ),
          one(`a statement of ${login} ends after 700 ms`, `ALTER ROLE ${identifier(login)} SET statement_timeout = '700ms'`),
        ]),
      ]
    }),
    ...machinesOf(subject).flatMap((machine) => [
      ...(has(machine, 'redis-cli')
        ? [
            inOne(
              machine.name,
              'redis throws away what it was told to keep',
              `${redis}\nok CONFIG SET maxmemory 6mb\nok CONFIG SET maxmemory-policy allkeys-lru\nok CONFIG REWRITE`,
            ),
            inOne(machine.name, 'redis takes 40 clients', `${redis}\nok CONFIG SET maxclients 40\nok CONFIG REWRITE`),
          ]
        : []),
      ...(has(machine, 'rabbitmqctl')
        ? [
            inOne(
              machine.name,
              'rabbitmq drops the oldest messages of long queues',
              `${firstVhost}\nrabbitmqctl -q set_policy -p "$v" --priority 90 short '.*' '{"max-length": 2000}'`,
            ),
            inOne(
              machine.name,
              'rabbitmq takes 20 connections',
              `${firstVhost}\nrabbitmqctl -q set_vhost_limits -p "$v" '{"max-connections": 20}'`,
            ),
          ]
        : []),
      ...(has(machine, 'rndc')
        ? [
            inOne(machine.name, 'bind answers twice a second', bindOption('rate-limit { responses-per-second 2; };')),
            inOne(machine.name, 'bind takes two connections', bindOption('tcp-clients 2;')),
          ]
        : []),
      ...(has(machine, 'etcdctl')
        ? [inOne(machine.name, 'etcd is full soon', "f=/etc/default/etcd\n[ -f $f ]\necho 'ETCD_QUOTA_BACKEND_BYTES=1048576' >> $f")]
        : []),
      ...(has(machine, 'mosquitto')
        ? [
            inOne(
              machine.name,
              'mosquitto queues one message',
              'f=$(ls /etc/mosquitto/conf.d/*.conf /etc/mosquitto/mosquitto.conf 2>/dev/null | head -1)\necho \'max_queued_messages 1\' >> "$f"\npkill -HUP -x mosquitto',
            ),
          ]
        : []),
    ]),
  ],
})
