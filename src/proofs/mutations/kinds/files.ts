// One directive of a settings file gone, turned round or made a hundred times as much.

import { directivesOf } from '../directives.ts'
import { mutationKind } from '../mutation-kind.ts'
import { replaceLine } from '../shell.ts'
import { inOne, ownFilesOf, weightOf } from '../subject.ts'

export const kind = mutationKind({
  means: 'one directive of a settings file changed',
  candidates: (subject) =>
    ownFilesOf(subject).flatMap((file) =>
      directivesOf(file.path, file.text ?? '').map(({ line, what, before, after }) =>
        inOne(file.machine, `line ${line} of ${file.path} is ${what}`, replaceLine(file.path, line, before, after), weightOf(file)),
      ),
    ),
})
