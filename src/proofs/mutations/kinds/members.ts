// Members of a group that should agree and do not: a replica with other content, an instance with other settings.

import { type Candidate, changeKind } from '../../changes/change-kind.ts'
import { pickOne, pickSome } from '../../changes/random.ts'
import { quote, replaceLine } from '../../changes/shell.ts'
import { has, inOne, machinesOf, ownFilesOf, redis } from '../../changes/subject.ts'
import { directivesOf } from '../directives.ts'

/** The file that says which zones are copies. */
const copies = 'f=$(grep -rlE "type (slave|secondary)" /etc/bind | head -1)\n[ -n "$f" ]'

export const kind = changeKind({
  means: 'replicas and instances that do not agree',
  candidates: (subject, random): Candidate[] => {
    const machines = machinesOf(subject)
    const shared = [
      ...Map.groupBy(
        ownFilesOf(subject).filter(({ open }) => open),
        ({ path }) => path,
      ).values(),
    ].filter(({ length }) => length > 1)
    const instances = shared.flatMap((files) =>
      files.flatMap(({ machine, path, text }) => {
        const directive = pickOne(random, `${machine}:${path}`, directivesOf(path, text ?? ''))
        return directive === undefined
          ? []
          : [
              inOne(
                machine,
                `line ${directive.line} of ${path} is ${directive.what}, on this member only`,
                replaceLine(path, directive.line, directive.before, directive.after),
              ),
            ]
      }),
    )
    const replicas = machines
      .filter((machine) => has(machine, 'redis-cli'))
      .flatMap((machine) =>
        pickSome(random, machine.name, machine.contents, 2).map((key) =>
          inOne(
            machine.name,
            `redis: this replica has another ${key}`,
            `${redis}\nr INFO replication | grep -q role:slave\nok CONFIG SET replica-read-only no\nr DEL ${quote(key)}\nok SET ${quote(key)} changed\nok CONFIG SET replica-read-only yes`,
          ),
        ),
      )
    const etcd = machines
      .filter((machine) => has(machine, 'etcdctl'))
      .map((machine) =>
        inOne(
          machine.name,
          'etcd: this member has other values',
          'd=$(find /var/lib/etcd -path "*/member/snap/db" | head -1)\n[ -n "$d" ]\nservice etcd stop\ncp "$d" /root/db.before\nperl -0777 -pi -e \'s/true/null/g\' "$d"\nchown --reference=/root/db.before "$d"; chmod --reference=/root/db.before "$d"\n! cmp -s "$d" /root/db.before\nrm /root/db.before\nservice etcd start\nsleep 3',
          2,
        ),
      )
    const zones = machines
      .filter((machine) => has(machine, 'rndc'))
      .flatMap(({ name }) => [
        inOne(
          name,
          'bind: this server keeps its copy of the zones',
          `${copies}\nsed -i -E "s/type (slave|secondary);.*/type primary;/; /(masters|primaries) *\\{/d; /masterfile-format/d" "$f"\nrndc reconfig || rndc reload`,
        ),
        inOne(
          name,
          'bind: this server asks a primary that is not there',
          `${copies}\nsed -i -E "s/(masters|primaries) *\\{ *[0-9.]+/\\1 { 192.0.2.1/" "$f"\ngrep -q 192.0.2.1 "$f"\nrndc reconfig`,
        ),
      ])
    return [...instances, ...replicas, ...etcd, ...zones]
  },
})
