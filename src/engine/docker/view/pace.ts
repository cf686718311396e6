// The rate limit of a container view: a token bucket that delays what exceeds it. Nothing is refused or lost.

import { elapsedMs } from '../../../clock.ts'

export interface PaceOptions {
  readonly perSecond: number
  /** The size of the bucket. */
  readonly burst: number
  readonly now?: () => number
}

/** Counts a cost; returns how many milliseconds to wait before going on. */
export type Pace = (cost: number) => number

export const createPace = ({ perSecond, burst, now = elapsedMs }: PaceOptions): Pace => {
  let budget = burst
  let at = now()
  return (cost) => {
    const moment = now()
    budget = Math.min(burst, budget + ((moment - at) * perSecond) / 1000) - cost
    at = moment
    return budget >= 0 ? 0 : Math.ceil((-budget * 1000) / perSecond)
  }
}
