// One line of a program of the scenario changed, as a hurried repair would: where its code may change at all, first of all.

import { type Candidate, mutationKind } from '../mutation-kind.ts'
import { replaceLine } from '../shell.ts'
import { inOne, type OwnFile, ownFilesOf } from '../subject.ts'

interface Rewrite {
  readonly what: string
  readonly of: RegExp
  readonly into: string
}

const rewrites: readonly Rewrite[] = [
  { what: 'does not sync', of: /^(\s*)(os\.fsync|os\.fdatasync)\(.*\)\s*$/, into: '$1pass' },
  { what: 'does not flush', of: /^(\s*)\w[\w.]*\.flush\(\)\s*$/, into: '$1pass' },
  { what: 'does not lock', of: /^(\s*)(fcntl\.(flock|lockf)|\w[\w.]*\.acquire)\(.*\)\s*$/, into: '$1pass' },
  { what: 'does not lock', of: /^(\s*)with \w*[\w.]*lock\w*(\(.*\))?\s*:\s*$/i, into: '$1if True:' },
  { what: 'does not lock rows', of: /^(.*?)\s+FOR UPDATE( SKIP LOCKED| NOWAIT)?(.*)$/, into: '$1$3' },
  { what: 'swallows an error', of: /^(\s+)raise\b.*[^,([{]$/, into: '$1pass' },
  { what: 'swallows every error', of: /^(\s+)except [\w.()\s,]+( as \w+)?:\s*$/, into: '$1except Exception$2:' },
  { what: 'commits by chance', of: /^(\s*)\w[\w.]*\.commit\(\)\s*$/, into: '$1pass' },
  {
    what: 'replaces a file without care',
    of: /^(\s*)os\.(replace|rename)\((\w+), (\w+)\)\s*$/,
    into: '$1__import__("shutil").copyfile($3, $4)',
  },
  { what: 'compares otherwise', of: /^(\s*(?:if|elif|while|return)\b.*) <= (.*)$/, into: '$1 < $2' },
  { what: 'compares otherwise', of: /^(\s*(?:if|elif|while|return)\b.*) >= (.*)$/, into: '$1 > $2' },
  { what: 'ignores a conflict', of: /^(.*)ON CONFLICT \([\w, ]+\) DO NOTHING(.*)$/, into: '$1$2' },
  { what: 'drops the atomic move', of: /^(\s*)mv -?\w* ?("?\S+"?) ("?\S+"?)\s*$/, into: '$1cp $2 $3' },
  { what: 'goes on after an error', of: /^set -e(.*)$/, into: 'set +e' },
]
/** Statements whose order is a promise: what is acknowledged must be written before. */
const promise = /\b(ack|basic_ack|commit|mark\w*|receipt\w*|fsync|publish|post|send|write|append|record)\s*\(/i
const isCode = ({ path, text }: OwnFile) => path.endsWith('.py') || /^#!.*\b(sh|bash|python3?)\b/.test(text ?? '')
const indent = (line: string) => /^\s*/.exec(line)?.[0].length ?? 0

const swapsIn = (lines: readonly string[]): number[] =>
  lines.flatMap((line, index) => {
    const next = lines[index + 1]
    const fits =
      next !== undefined &&
      indent(line) === indent(next) &&
      [line, next].every((one) => /^\s+\w.*\)$/.test(one) && !/^\s*(return|raise|if|for|with|def)\b/.test(one))
    return fits && [line, next].every((one) => promise.test(one)) ? [index] : []
  })

export const kind = mutationKind({
  means: 'one line of code: no sync, no lock, errors swallowed, order of promises',
  candidates: (subject) =>
    ownFilesOf(subject)
      .filter((file) => isCode(file) && file.text !== null)
      .flatMap((file): Candidate[] => {
        const lines = (file.text ?? '').split('\n')
        const weight = file.open ? 5 : file.watched ? 0.05 : 1
        const one = (line: number, what: string, run: string) => inOne(file.machine, `line ${line} of ${file.path} ${what}`, run, weight)
        const changed = lines.flatMap((before, index) =>
          rewrites
            .filter(({ of }) => of.test(before))
            .slice(0, 1)
            .map(({ what, of, into }) => one(index + 1, what, replaceLine(file.path, index + 1, before, before.replace(of, into)))),
        )
        const swapped = swapsIn(lines).map((index) => {
          const [first, second] = [lines[index] as string, lines[index + 1] as string]
          return one(
            index + 1,
            'comes after the next one',
            `${replaceLine(file.path, index + 1, first, second)}\n${replaceLine(file.path, index + 2, second, first)}`,
          )
        })
        return [...changed, ...swapped]
      }),
})
