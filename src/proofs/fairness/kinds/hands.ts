// How people work: slowly, twice, with notes, and with a look at everything.

import { changeKind } from '../../changes/change-kind.ts'
import { quote } from '../../changes/shell.ts'
import { inOne, machinesOf } from '../../changes/subject.ts'

/** Long enough that customers of every kind come meanwhile. */
const slowSeconds = 25

export const kind = changeKind({
  means: 'slow hands, repairs done twice, notes, and looks',
  candidates: (subject) => {
    const { workstation, repair } = subject
    return [
      {
        name: 'the repair is done twice',
        steps: repair.map(({ in: machine, run }) => ({ in: machine, run: `( ${run}\n) || true\n` })),
        weight: 3,
      },
      inOne(workstation, 'nothing happens for a while', `sleep ${slowSeconds}`, 3),
      inOne(
        workstation,
        'notes and a script are left in /root',
        "echo 'restart app if it happens again' > /root/notes.md\nprintf '#!/bin/sh\\ncurl -s \"$1\"\\n' > /root/check.sh\nchmod 755 /root/check.sh",
      ),
      inOne(
        workstation,
        'scratch files are left in /tmp',
        'date > /tmp/incident.txt\nmkdir -p /tmp/work\nenv | sort > /tmp/work/names\nchmod 600 /tmp/work/names',
      ),
      inOne(workstation, 'a history of commands is written', "printf 'psql\\ncurl web\\n' >> /root/.bash_history"),
      ...machinesOf(subject).flatMap(({ name, logs }) => [
        inOne(
          name,
          'its logs, files and processes are looked at',
          `tail -n 5 ${logs.map(quote).join(' ') || '/etc/hostname'} > /dev/null\ncat /etc/hosts > /dev/null\nls -lR /etc > /dev/null\nls /proc > /dev/null`,
        ),
        inOne(name, 'a note is left in /root', "echo 'looked at, on call' > /root/notes.txt"),
        inOne(
          name,
          'a log is being followed',
          `setsid tail -f ${logs.slice(0, 1).map(quote).join('') || '/dev/null'} > /dev/null 2>&1 < /dev/null &`,
        ),
      ]),
    ]
  },
})
