// What a probe saw, and whether it is what must be seen.

export interface Observation {
  readonly passed: boolean
  /** What was seen, in one line; never what to do. */
  readonly saw: string
  /** It was not seen in time: whose doing that is, the machine's own pace tells. */
  readonly timedOut?: boolean
  /** Nothing was seen: neither that it is so, nor that it is not. */
  readonly unobservable?: boolean
}

export const holds = (saw: string): Observation => ({ passed: true, saw })
export const differs = (saw: string): Observation => ({ passed: false, saw })
export const timedOut = (saw: string): Observation => ({ passed: false, saw, timedOut: true })
export const unobservable = (observation: Observation): Observation => ({ ...observation, passed: false, unobservable: true })

export const sawOf = (observations: readonly Observation[]): string => [...new Set(observations.map(({ saw }) => saw))].join('; ')
/** One of what was seen wrong in several places. */
export const differAll = (wrong: readonly Observation[]): Observation => {
  const found = (wrong.some((each) => each.timedOut) ? timedOut : differs)(sawOf(wrong))
  return wrong.some((each) => each.unobservable) ? unobservable(found) : found
}

/** What a sandbox wrote moves no cursor and breaks no text. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\s]+/gu

export const oneLine = (text: string, limit = 200): string => {
  const line = text.replace(unprintable, ' ').trim()
  return line.length > limit ? `${line.slice(0, limit)}…` : line
}
