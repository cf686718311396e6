// Logs of a sandbox as evidence: what they held when it was handed over is still there, in them or in what rotation made of them, and
// whoever wrote them goes on. The first is a matter of data, the second one of safeguards.

import { z } from 'zod'
import { anyRecord } from '../any-record.ts'
import { isBelow } from '../catalog/program-paths.ts'
import type { Watched } from '../catalog/watched-file.ts'
import { differAll, differs, holds, type Observation } from '../probes/observation.ts'
import { type Observer, Unobservable } from './observer.ts'
import { observeUntil } from './probe-tree.ts'

const HeldLog = z.object({
  bytes: z.int(),
  digest: z.string(),
  /** How many lines. */
  count: z.int(),
  /** A few bytes of a digest of each, in base64; null where there are too many. */
  lines: z.string().nullable(),
  /** The executables that had it open for writing. */
  writers: z.array(z.string()),
})
export type HeldLog = Readonly<z.infer<typeof HeldLog>>

/** What the logs of a service held, by path. */
export const HeldLogs = anyRecord(HeldLog)
export type HeldLogs = Readonly<z.infer<typeof HeldLogs>>

const LogsAnswer = z.object({ logs: HeldLogs })
const KeptAnswer = z.object({ missing: anyRecord(z.int()) })
const WritersAnswer = z.object({
  logs: anyRecord(z.object({ kind: z.enum(['file', 'hole', 'other', 'absent']), writers: z.array(z.string()) })),
})
export type WrittenLogs = z.infer<typeof WritersAnswer>['logs']

/** A program that was just restarted opens its log a moment later. */
const opensAgain = { withinMs: 2_000, pauseMs: 300 }
const mostNamed = 3

type Machines = Readonly<Record<string, Watched>>
type Held = Readonly<Record<string, HeldLogs>>

const isDown = (service: string) => (seen: { readonly name: string; readonly running: boolean }) => seen.name === service && !seen.running

/** By service, at the moment in which the sandbox is handed over. */
export const describeLogs = async (observer: Observer, watched: Machines): Promise<Record<string, HeldLogs>> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(watched).map(async ([service, { logs }]) => {
        try {
          return [service, (await observer.inspect(service, { inspection: 'logs', folders: logs.folders }, LogsAnswer)).logs] as const
        } catch (error) {
          // A machine that the fault has brought down holds nothing that anybody could compare.
          if (error instanceof Unobservable && (await observer.engine.describe(observer.sandbox))?.services.some(isDown(service)))
            return [service, {}] as const
          throw error
        }
      }),
    ),
  )

const without = (held: HeldLogs, paths: readonly string[]): [string, HeldLog][] =>
  Object.entries(held).filter(([path]) => !isBelow(path, paths))

/** What is wrong with logs of which lines are missing; given how many, by path. */
export const compareKept = (held: HeldLogs, missing: Readonly<Record<string, number>>): string[] =>
  Object.entries(held).flatMap(([path, { count }]) => {
    const lost = missing[path] ?? count
    return lost === 0 ? [] : [`${lost} of ${count} lines of ${path} are gone`]
  })

/** What is wrong with logs that nobody writes any more. */
export const compareWritten = (held: HeldLogs, now: WrittenLogs): string[] =>
  Object.entries(held).flatMap(([path, { writers }]) => {
    const log = now[path]
    if (log?.kind === 'hole') return [`${path} has a hole, and is longer than what was written to it`]
    if (log?.kind === 'other') return [`${path} is no file any more`]
    return writers.length === 0 || writers.some((program) => log?.writers.includes(program)) ? [] : [`nothing writes ${path} any more`]
  })

const summaryOf = (wrong: readonly string[]): string =>
  wrong.slice(0, mostNamed).join('; ') + (wrong.length > mostNamed ? `; and ${wrong.length - mostNamed} more` : '')

/** Asks each service whose logs held something. */
const ofEach = async (held: Held, wrongIn: (service: string, logs: HeldLogs) => Promise<string[]>, right: string): Promise<Observation> => {
  const observations = await Promise.all(
    Object.entries(held).map(async ([service, logs]) => {
      try {
        const wrong = await wrongIn(service, logs)
        return wrong.length === 0 ? holds(right) : differs(`in ${service}, ${summaryOf(wrong)}`)
      } catch (error) {
        if (error instanceof Unobservable) return error.observation
        throw error
      }
    }),
  )
  const wrong = observations.filter(({ passed }) => !passed)
  return wrong.length > 0 ? differAll(wrong) : holds(right)
}

/** Whether the logs still hold what they held. */
export const observeKeptLogs = (observer: Observer, watched: Machines, held: Held): Promise<Observation> =>
  ofEach(
    held,
    async (service, logs) => {
      const asked = without(logs, watched[service]?.logs.mayShrink ?? [])
      if (asked.length === 0) return []
      const told = asked.map(([path, { bytes, digest, count, lines }]) => [path, { bytes, digest, count, lines }])
      const question = { inspection: 'kept_logs', logs: Object.fromEntries(told) }
      return compareKept(Object.fromEntries(asked), (await observer.inspect(service, question, KeptAnswer)).missing)
    },
    'logs hold what they held',
  )

/** Whether whoever wrote the logs still does. */
export const observeWrittenLogs = (observer: Observer, watched: Machines, held: Held): Promise<Observation> => {
  const look = () =>
    ofEach(
      held,
      async (service, logs) => {
        const { mayShrink = [], mayStop = [] } = watched[service]?.logs ?? {}
        const asked = without(logs, [...mayShrink, ...mayStop])
        if (asked.length === 0) return []
        const question = { inspection: 'log_writers', paths: asked.map(([path]) => path) }
        return compareWritten(Object.fromEntries(asked), (await observer.inspect(service, question, WritersAnswer)).logs)
      },
      'logs go on',
    )
  return observeUntil(look, opensAgain)
}
