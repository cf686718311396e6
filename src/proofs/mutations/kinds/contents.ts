// What is kept in stores other than PostgreSQL, deleted or changed: keys, messages, records of zones.

import { type Candidate, changeKind } from '../../changes/change-kind.ts'
import { pickSome } from '../../changes/random.ts'
import { quote } from '../../changes/shell.ts'
import { has, inOne, machinesOf, redis } from '../../changes/subject.ts'

const mostKeys = 4

export const kind = changeKind({
  means: 'keys, messages and records of other stores deleted or changed',
  candidates: (subject, random) =>
    machinesOf(subject).flatMap((machine): Candidate[] => {
      const { name, contents } = machine
      const some = pickSome(random, name, contents, mostKeys)
      if (has(machine, 'redis-cli'))
        return some.flatMap((key) => [
          inOne(name, `redis: ${key} is deleted`, `${redis}\n[ "$(r DEL ${quote(key)} | tail -1)" = 1 ]`),
          inOne(name, `redis: ${key} expires in an hour`, `${redis}\n[ "$(r EXPIRE ${quote(key)} 3600 | tail -1)" = 1 ]`),
        ])
      if (has(machine, 'etcdctl'))
        return some.flatMap((key) => [
          inOne(name, `etcd: ${key} is deleted`, `[ "$(etcdctl del ${quote(key)})" = 1 ]`),
          inOne(
            name,
            `etcd: ${key} expires in an hour`,
            `[ -z "$(etcdctl get -w json ${quote(key)} | grep '"lease"')" ]\netcdctl put --ignore-value --lease="$(etcdctl lease grant 3600 | cut -d ' ' -f 2)" ${quote(key)}`,
          ),
          inOne(
            name,
            `etcd: ${key} has another value`,
            `v=$(etcdctl get --print-value-only ${quote(key)})\nn=$(printf %s "$v" | sed 's/true/false/; t; s/[0-9]/7/; t; s/$/x/')\n[ "$v" != "$n" ]\netcdctl put ${quote(key)} "$n"`,
          ),
        ])
      if (has(machine, 'rabbitmqctl'))
        return some.flatMap((content) => {
          const [vhost = '', queue = ''] = content.split(' ')
          return [
            inOne(
              name,
              `rabbitmq: ${queue} is emptied`,
              `[ "$(rabbitmqctl -q -p ${quote(vhost)} list_queues --no-table-headers name messages | awk -v q=${quote(queue)} '$1 == q { print $2 }')" != 0 ]\nrabbitmqctl -q purge_queue -p ${quote(vhost)} ${quote(queue)}`,
            ),
            inOne(name, `rabbitmq: ${queue} is deleted`, `rabbitmqctl -q delete_queue -p ${quote(vhost)} ${quote(queue)}`),
          ]
        })
      if (has(machine, 'rndc'))
        return some.flatMap((file) => [
          inOne(
            name,
            `bind: a record of ${file} is deleted`,
            `rndc freeze || true\nn=$(grep -nE '[[:space:]](A|CNAME)[[:space:]]' ${quote(file)} | tail -1 | cut -d: -f1)\n[ -n "$n" ]\nsed -i "$n"d ${quote(file)}\nrndc thaw || rndc reload`,
          ),
          inOne(
            name,
            `bind: a name of ${file} stands for all others`,
            `rndc freeze || true\nprintf '*\\t60\\tIN\\tA\\t198.51.100.7\\n' >> ${quote(file)}\nrndc thaw || rndc reload`,
          ),
          inOne(
            name,
            `bind: a record of ${file} has another address`,
            `rndc freeze || true\nn=$(grep -nE '[[:space:]]A[[:space:]]' ${quote(file)} | tail -1 | cut -d: -f1)\n[ -n "$n" ]\nsed -i -E "$n"'s/[0-9.]+[[:space:]]*$/198.51.100.7/' ${quote(file)}\nrndc thaw || rndc reload`,
          ),
        ])
      return []
    }),
})
