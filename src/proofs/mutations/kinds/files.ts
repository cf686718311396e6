// One directive of a settings file gone, turned round or made a hundred times as much.

import { changeKind } from '../../changes/change-kind.ts'
import { replaceLine } from '../../changes/shell.ts'
import { inOne, ownFilesOf, weightOf } from '../../changes/subject.ts'
import { directivesOf } from '../directives.ts'

export const kind = changeKind({
  means: 'one directive of a settings file changed',
  candidates: (subject) =>
    ownFilesOf(subject).flatMap((file) =>
      directivesOf(file.path, file.text ?? '').map(({ line, what, before, after }) =>
        inOne(file.machine, `line ${line} of ${file.path} is ${what}`, replaceLine(file.path, line, before, after), weightOf(file)),
      ),
    ),
})
