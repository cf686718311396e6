// Notes in settings files that a repair may change, and settings in another order where order means nothing.

import { lineMatcher } from '../../../catalog/line-pattern.ts'
import { changeKind } from '../../changes/change-kind.ts'
import { quote } from '../../changes/shell.ts'
import { inOne, ownFilesOf } from '../../changes/subject.ts'

/** Files in which a line that begins with # says nothing. */
const takesComments = (path: string) => /\.(conf|toml|cfg|py|ya?ml)$|\/default\/[\w-]+$/.test(path)
/** `name = value`: two of them in a row may change places. */
const assignment = /^\w+\s*=\s*[^\s[{(]+$/

const nameOf = (line: string | undefined) => line?.split('=')[0]?.trim()

export const kind = changeKind({
  means: 'comments and another order in settings that may change',
  candidates: (subject) =>
    ownFilesOf(subject)
      .filter(({ open, path, text }) => open && text !== null && takesComments(path))
      .flatMap(({ machine, path, text }) => {
        const pattern = subject.instance.guards[machine]?.settings[path]
        const lines = (text ?? '').split('\n')
        const mayMove = (line: string | undefined) =>
          line !== undefined && assignment.test(line) && pattern !== undefined && lineMatcher(pattern)(line.trim())
        const at = lines.findIndex((line, index) => mayMove(line) && mayMove(lines[index + 1]) && nameOf(line) !== nameOf(lines[index + 1]))
        const settings = /\.(toml|py|conf)$/.test(path)
        return [
          inOne(machine, `a comment at the end of ${path}`, `printf '\\n# looked at during the incident, on call\\n' >> ${quote(path)}`),
          inOne(
            machine,
            `a comment at the beginning of ${path}`,
            `t=$(mktemp)\n{ echo '# see the ticket'; cat ${quote(path)}; } > "$t"\ncat "$t" > ${quote(path)}\nrm "$t"`,
          ),
          ...(at < 0 || !settings
            ? []
            : [
                inOne(
                  machine,
                  `lines ${at + 1} and ${at + 2} of ${path} in the other order`,
                  `sed -i '${at + 1}{h;d};${at + 2}{G}' ${quote(path)}`,
                ),
              ]),
        ]
      }),
})
