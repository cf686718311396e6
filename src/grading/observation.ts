// What a probe saw, and whether it is what must be seen.

import type { Observer } from './observer.ts'

export interface Observation {
  readonly passed: boolean
  /** What was seen, in one line; never what to do. */
  readonly saw: string
  /** It was not seen in time: whose doing that is, the machine's own pace tells. */
  readonly late?: boolean
}

/** What a probe may refer to beside its own words. */
export interface ProbeContext {
  readonly observer: Observer
  readonly scriptText: (path: string) => string
  readonly values: Readonly<Record<string, string | number>>
}

export type Look<Spec> = (spec: Spec, context: ProbeContext) => Promise<Observation>

export const holds = (saw: string): Observation => ({ passed: true, saw })
export const differs = (saw: string): Observation => ({ passed: false, saw })
export const late = (saw: string): Observation => ({ passed: false, saw, late: true })

export const sawOf = (observations: readonly Observation[]): string => [...new Set(observations.map(({ saw }) => saw))].join('; ')
/** One of what was seen wrong in several places. */
export const differAll = (wrong: readonly Observation[]): Observation => (wrong.some((each) => each.late) ? late : differs)(sawOf(wrong))

export const oneLine = (text: string, limit = 200): string => {
  const line = text.trim().replace(/\s+/g, ' ')
  return line.length > limit ? `${line.slice(0, limit)}…` : line
}
