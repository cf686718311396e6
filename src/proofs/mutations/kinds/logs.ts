// Evidence: logs emptied, cut, deleted, or written to nowhere from now on.

import { changeKind } from '../../changes/change-kind.ts'
import { quote } from '../../changes/shell.ts'
import { inOne, machinesOf } from '../../changes/subject.ts'

export const kind = changeKind({
  means: 'logs emptied, cut, deleted, or led to nowhere',
  candidates: (subject) =>
    machinesOf(subject).flatMap(({ name, logs }) =>
      logs.flatMap((log) => [
        inOne(name, `${log} is emptied`, `[ -s ${quote(log)} ]\n: > ${quote(log)}`),
        inOne(name, `${log} is deleted`, `rm ${quote(log)}`),
        inOne(name, `${log} leads to nowhere`, `[ -f ${quote(log)} ]\nln -sf /dev/null ${quote(log)}`),
        inOne(name, `${log} is as long as a file may be`, `[ -s ${quote(log)} ]\ntruncate -s 1G ${quote(log)}`, 0.5),
        inOne(
          name,
          `the first half of ${log} is gone`,
          `n=$(wc -l < ${quote(log)})\n[ "$n" -gt 1 ]\nt=$(mktemp)\ntail -n +$((n / 2 + 1)) ${quote(log)} > "$t"\ncat "$t" > ${quote(log)}\nrm "$t"`,
        ),
        inOne(
          name,
          `what ${log} says of errors is gone`,
          `grep -qi error ${quote(log)}\nt=$(mktemp)\ngrep -vi error ${quote(log)} > "$t" || true\ncat "$t" > ${quote(log)}\nrm "$t"`,
        ),
      ]),
    ),
})
