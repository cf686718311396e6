// Files and folders of the scenario that everybody may write, or that belong to somebody else.

import { posix } from 'node:path'
import { changeKind } from '../../changes/change-kind.ts'
import { quote } from '../../changes/shell.ts'
import { inOne, machinesOf, ownFilesOf, weightOf } from '../../changes/subject.ts'

export const kind = changeKind({
  means: 'owner and mode of files and folders',
  candidates: (subject) => {
    const files = ownFilesOf(subject)
    const folders = [...new Map(files.map((file) => [`${file.machine}:${posix.dirname(file.path)}`, file])).values()]
    return [
      ...files.flatMap((file) => [
        inOne(file.machine, `everybody may write ${file.path}`, `chmod a+w ${quote(file.path)}`, weightOf(file)),
        inOne(file.machine, `${file.path} belongs to nobody`, `chown 65534:65534 ${quote(file.path)}`, weightOf(file)),
        ...((Number.parseInt(file.mode, 8) & 4) === 0
          ? [inOne(file.machine, `everybody may read ${file.path}`, `chmod a+r ${quote(file.path)}`, 2)]
          : []),
      ]),
      ...folders.map(({ machine, path, watched }) =>
        inOne(machine, `everybody may write into ${posix.dirname(path)}`, `chmod 777 ${quote(posix.dirname(path))}`, watched ? 0.5 : 1),
      ),
      ...machinesOf(subject).flatMap(({ name, dataFolders, logs }) => [
        ...dataFolders.flatMap((folder) => [
          inOne(name, `everybody may write into ${folder}`, `chmod 777 ${quote(folder)}`),
          inOne(name, `its own program may not write into ${folder}`, `chmod a-w ${quote(folder)}`, 0.5),
        ]),
        ...[...new Set(logs.map(posix.dirname))]
          .filter((folder) => folder !== '/var/log')
          .map((folder) => inOne(name, `everybody may write into ${folder}`, `chmod 777 ${quote(folder)}`, 0.5)),
      ]),
    ]
  },
})
