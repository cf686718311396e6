// Whether the rows of a sandbox are those that were there before the fault and those that customers were told are written: each once and
// unchanged, and no other. Customers note their writes in the probe (images/probe/records.py), where no user can reach them.

import { z } from 'zod'
import { anyRecord } from '../any-record.ts'
import type { RecordSet } from '../catalog/records-file.ts'
import { unreadable } from '../probes/exit-codes.ts'
import { differAll, differs, holds, type Observation, oneLine } from '../probes/observation.ts'
import type { ProbeObserver } from '../probes/probe-kind.ts'
import { Unobservable } from './observer.ts'
import { observeUntil } from './probe-tree.ts'

/** The digest of each row, by key. */
export const Rows = anyRecord(z.array(z.string()))
export type Rows = Readonly<z.infer<typeof Rows>>

const Write = z.tuple([z.number(), z.enum(['attempted', 'acknowledged']), z.string(), z.string().nullable()])
const Seen = z.object({ rows: Rows, writes: z.array(Write) })
type Seen = z.infer<typeof Seen>
const Answer = z.union([Seen, z.object({ unreadable: z.string(), exit_code: z.int().nullable() })])

const pauseMs = 300
/** More than these nobody needs to see whether a repair works. */
const mostTests = 20

/** Throws Unobservable when the rows cannot be read. */
const readRecords = async (observer: ProbeObserver, { name, source }: RecordSet): Promise<Seen> => {
  const answer = await observer.ask({ ask: 'records', name, source }, Answer, source.timeout_ms + 5_000)
  if (!('unreadable' in answer)) return answer
  throw new Unobservable(unreadable(`the ${name}`, answer.exit_code, oneLine(answer.unreadable)))
}

/** What is there now, by set: of rows that people write, while nothing is broken yet; of those that tell of the incident, once it has happened. */
export const describeRecords = async (observer: ProbeObserver, sets: readonly RecordSet[]): Promise<Record<string, Rows>> =>
  Object.fromEntries(
    await Promise.all(
      sets.map(async (set) => {
        const seen = await readRecords(observer, set)
        if (Object.keys(seen.rows).length === 0) throw new Error(`there are no ${set.name} to begin with`)
        return [set.name, seen.rows] as const
      }),
    ),
  )

const isSame = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((each, at) => each === other[at])

/** What is wrong with a set now. */
export const compareRecords = (
  before: Rows,
  { rows, writes }: Seen,
  { settlesMs, mayWait, grows, tests }: Pick<RecordSet, 'settlesMs' | 'mayWait' | 'grows' | 'tests'>,
): string[] => {
  const counts = { lost: 0, changed: 0, repeated: 0, unexpected: 0, tests: 0 }
  const expected = new Map(Object.entries(before))
  /** By key; null where any content will do. */
  const attempted = new Map<string, string | null>()
  for (const [age, state, key, content] of writes) {
    if (expected.has(key)) continue
    if (state === 'acknowledged' && age * 1000 >= settlesMs && content !== null) expected.set(key, [content])
    attempted.set(key, content)
  }
  for (const [key, wanted] of expected) {
    const found = rows[key]
    if (found === undefined) {
      if (before[key] !== undefined || !mayWait?.test(key)) counts.lost += 1
    } else if (isSame(found, wanted)) continue
    else if (found.length > wanted.length) counts.repeated += 1
    else counts.changed += 1
  }
  for (const [key, found] of Object.entries(rows)) {
    if (grows || expected.has(key)) continue
    const content = attempted.get(key)
    if (tests?.test(key)) counts.tests += content === undefined ? found.length : 0
    else if (content === undefined) counts.unexpected += 1
    else if (found.length > 1) counts.repeated += 1
    else if (content !== null && found[0] !== content) counts.changed += 1
  }
  const words = {
    lost: 'that were confirmed are not there',
    changed: 'are not as they were confirmed',
    repeated: 'are there more than once',
    unexpected: 'were asked for by nobody',
    tests: `are called tests, where nobody needs more than ${mostTests}`,
  }
  if (counts.tests <= mostTests) counts.tests = 0
  return Object.entries(counts).flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${words[what as keyof typeof words]}`]))
}

const observeSet = async (observer: ProbeObserver, set: RecordSet, before: Rows | undefined): Promise<Observation> => {
  if (before === undefined) throw new Error(`the baseline has no ${set.name}`)
  const look = async (): Promise<Observation> => {
    try {
      const wrong = compareRecords(before, await readRecords(observer, set), set)
      return wrong.length === 0 ? holds(`all ${set.name} are there`) : differs(`of the ${set.name}, ${wrong.join('; ')}`)
    } catch (error) {
      if (error instanceof Unobservable) return error.observation
      throw error
    }
  }
  return set.settlesMs === 0 ? look() : observeUntil(look, { pauseMs, withinMs: set.settlesMs })
}

/** What was confirmed before the fault and ever since. */
export const observeRecords = async (
  observer: ProbeObserver,
  sets: readonly RecordSet[],
  before: Readonly<Record<string, Rows>>,
): Promise<Observation> => {
  const observations: Observation[] = []
  // One after the other: a reader is a program, and the probe has little memory.
  for (const set of sets) observations.push(await observeSet(observer, set, before[set.name]))
  const wrong = observations.filter(({ passed }) => !passed)
  return wrong.length > 0 ? differAll(wrong) : holds(observations.map(({ saw }) => saw).join('; '))
}
