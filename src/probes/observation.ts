// The result of a probe: what it saw, and whether that is as expected.

export interface Observation {
  readonly passed: boolean
  /** What was observed, in one line; never what to do. */
  readonly saw: string
  /** The observation timed out: because of the sandbox, or because the host is slow. */
  readonly timedOut?: boolean
  /** Nothing could be observed, so that `not` must not turn it into a pass. */
  readonly unobservable?: boolean
  /** A program of ours that looked was killed, as a rule for want of memory: another look is worth it, however idle the host is. */
  readonly killed?: boolean
}

export const holds = (saw: string): Observation => ({ passed: true, saw })
export const differs = (saw: string): Observation => ({ passed: false, saw })
export const timedOut = (saw: string): Observation => ({ passed: false, saw, timedOut: true })
export const unobservable = (observation: Observation): Observation => ({ ...observation, passed: false, unobservable: true })
/** Neither a pass nor, inside `not`, the opposite of one. */
export const killed = (saw: string): Observation => ({ ...unobservable(timedOut(saw)), killed: true })

export const sawOf = (observations: readonly Observation[]): string => [...new Set(observations.map(({ saw }) => saw))].join('; ')
/** Joins several failed observations. */
export const differAll = (wrong: readonly Observation[]): Observation => {
  const found = (wrong.some((each) => each.timedOut) ? timedOut : differs)(sawOf(wrong))
  const seen = wrong.some((each) => each.unobservable) ? unobservable(found) : found
  return wrong.some((each) => each.killed) ? { ...seen, killed: true } : seen
}

/** Control characters and line breaks, which are removed from what a sandbox wrote. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\s]+/gu

export const oneLine = (text: string, limit = 200): string => {
  const line = text.replace(unprintable, ' ').trim()
  return line.length > limit ? `${line.slice(0, limit)}…` : line
}
