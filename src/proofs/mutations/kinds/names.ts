// Names that stand for another machine, or are asked of a server that nobody knows.

import { changeKind } from '../../changes/change-kind.ts'
import { inOne, machinesOf } from '../../changes/subject.ts'

const own = (name: string) => `$(getent ahostsv4 ${name} | awk 'NR == 1 { print $1 }')`

export const kind = changeKind({
  means: '/etc/hosts and the servers that are asked for names',
  candidates: (subject) => {
    const machines = machinesOf(subject)
    return machines.flatMap(({ name }) => [
      ...machines
        .filter((other) => other.name !== name)
        .flatMap((other) => [
          inOne(
            name,
            `${other.name} is a machine that is not there`,
            `printf '198.51.100.7 ${other.name}\\n%s\\n' "$(cat /etc/hosts)" > /root/hosts\ncat /root/hosts > /etc/hosts\nrm /root/hosts`,
          ),
          inOne(
            name,
            `${other.name} is this machine`,
            `printf '%s ${other.name}\\n%s\\n' "${own(name)}" "$(cat /etc/hosts)" > /root/hosts\ncat /root/hosts > /etc/hosts\nrm /root/hosts`,
          ),
        ]),
      inOne(
        name,
        'names are asked of a server that nobody knows',
        'printf \'nameserver 198.51.100.7\\n%s\\n\' "$(cat /etc/resolv.conf)" > /root/resolv\ncat /root/resolv > /etc/resolv.conf\nrm /root/resolv',
      ),
      inOne(
        name,
        'names are looked for nowhere but in files',
        "sed -i 's/^hosts:.*/hosts: files/' /etc/nsswitch.conf\ngrep -q '^hosts: files$' /etc/nsswitch.conf",
      ),
    ])
  },
})
