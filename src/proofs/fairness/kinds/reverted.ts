// A file changed and changed back: what it says, its owner and its mode are as before, and only its time differs.

import { mutationKind } from '../../mutations/mutation-kind.ts'
import { quote } from '../../mutations/shell.ts'
import { inOne, ownFilesOf } from '../../mutations/subject.ts'

export const kind = mutationKind({
  means: 'files changed and changed back',
  candidates: (subject) =>
    ownFilesOf(subject).flatMap(({ machine, path, open }) => {
      const f = quote(path)
      return [
        inOne(
          machine,
          `${path} is changed and changed back`,
          `cp -p ${f} /root/before\necho '# tried' >> ${f}\ncat /root/before > ${f}\nrm /root/before`,
          open ? 2 : 1,
        ),
        inOne(machine, `${path} is put back from a copy`, `cp -p ${f} /root/before\nrm ${f}\nmv /root/before ${f}`, 0.5),
        inOne(machine, `${path} is not readable for a while`, `m=$(stat -c %a ${f})\nchmod 000 ${f}\nchmod "$m" ${f}`, 0.5),
      ]
    }),
})
