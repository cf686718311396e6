// A file changed and changed back: what it says, its owner and its mode are as before, and only its time differs.

import { changeKind } from '../../changes/change-kind.ts'
import { quote } from '../../changes/shell.ts'
import { inOne, machinesOf, ownFilesOf } from '../../changes/subject.ts'

/** A file that comes with every image, and that programs load: only its times differ afterwards. */
const ofImage = '/etc/profile'

const changedBack = (path: string): string => {
  const f = quote(path)
  return `cp -p ${f} /root/before\necho '# tried' >> ${f}\ncat /root/before > ${f}\nrm /root/before`
}

export const kind = changeKind({
  means: 'files changed and changed back',
  candidates: (subject) => [
    ...machinesOf(subject).map(({ name }) => inOne(name, `${ofImage} is changed and changed back`, changedBack(ofImage), 0.5)),
    ...ownFilesOf(subject).flatMap(({ machine, path, open }) => {
      const f = quote(path)
      return [
        inOne(machine, `${path} is changed and changed back`, changedBack(path), open ? 2 : 1),
        inOne(machine, `${path} is put back from a copy`, `cp -p ${f} /root/before\nrm ${f}\nmv /root/before ${f}`, 0.5),
        inOne(machine, `${path} is not readable for a while`, `m=$(stat -c %a ${f})\nchmod 000 ${f}\nchmod "$m" ${f}`, 0.5),
      ]
    }),
  ],
})
