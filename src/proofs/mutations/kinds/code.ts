// One line of a program of the scenario changed, as a hurried repair would: where its code may change at all, first of all.

import { type Candidate, changeKind } from '../../changes/change-kind.ts'
import { replaceLine, replaceLines } from '../../changes/shell.ts'
import { inOne, type OwnFile, ownFilesOf } from '../../changes/subject.ts'

interface Rewrite {
  readonly what: string
  readonly of: RegExp
  readonly into: string
}

const rewrites: readonly Rewrite[] = [
  { what: 'does not sync', of: /^(\s*)(os\.fsync|os\.fdatasync)\(.*\)\s*$/, into: '$1pass' },
  { what: 'does not flush', of: /^(\s*)\w[\w.]*\.flush\(\)\s*$/, into: '$1pass' },
  { what: 'does not lock', of: /^(\s*)(?:return )?(fcntl\.(flock|lockf)|\w[\w.]*\.acquire)\(.*\)\s*$/, into: '$1pass' },
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
const promise = /\b(ack|basic_ack|commit|mark\w*|start|fsync|flush|publish|post|send|write|append|record|query|execute)\s*\(/i
const isCode = ({ path, text }: OwnFile) => path.endsWith('.py') || /^#!.*\b(sh|bash|python3?)\b/.test(text ?? '')
const indent = (line: string) => /^\s*/.exec(line)?.[0].length ?? 0

interface Statement {
  /** Counted from 0. */
  readonly at: number
  readonly lines: readonly string[]
}

const brackets = (line: string) => (line.match(/[([{]/g)?.length ?? 0) - (line.match(/[)\]}]/g)?.length ?? 0)

/** Calls and assignments, with all their lines; what opens a block is none. */
const statementsOf = (lines: readonly string[]): Statement[] => {
  const found: Statement[] = []
  for (let at = 0; at < lines.length; at += 1) {
    let depth = 0
    let quotes = 0
    let end = at
    for (; end < lines.length; end += 1) {
      depth += brackets(lines[end] as string)
      quotes += (lines[end] as string).split('"""').length - 1
      if (depth <= 0 && quotes % 2 === 0) break
    }
    const whole = lines.slice(at, end + 1)
    if (/^\s+[\w.]+( = .+|\(.*)$/.test(whole[0] as string) && /\)\s*$/.test(whole.at(-1) as string)) found.push({ at, lines: whole })
    at = Math.max(at, end)
  }
  return found
}

const isLogging = ({ lines }: Statement) => /\blog(ger|ging)?\.|\bprint\(/.test(lines[0] as string)
const isCall = ({ lines }: Statement) => /^\s+[\w.]+\(/.test(lines[0] as string)

/** Neighbours of the same block of which each promises something. */
const pairsOf = (statements: readonly Statement[]): [Statement, Statement][] =>
  statements.flatMap((one, index): [Statement, Statement][] => {
    const next = statements[index + 1]
    const fits =
      next !== undefined && next.at === one.at + one.lines.length && indent(next.lines[0] as string) === indent(one.lines[0] as string)
    return fits && [one, next].every(({ lines }) => promise.test(lines[0] as string)) ? [[one, next]] : []
  })

export const kind = changeKind({
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
        const statements = file.path.endsWith('.py') ? statementsOf(lines).filter((statement) => !isLogging(statement)) : []
        const swapped = pairsOf(statements).map(([first, next]) =>
          one(
            first.at + 1,
            'comes after the next one',
            replaceLines(file.path, first.at + 1, [...first.lines, ...next.lines], [...next.lines, ...first.lines]),
          ),
        )
        const left = statements
          .filter(isCall)
          .map(({ at, lines: own }) =>
            one(at + 1, 'is left out', replaceLines(file.path, at + 1, own, [`${' '.repeat(indent(own[0] as string))}pass`])),
          )
        return [...changed, ...swapped, ...left]
      }),
})
