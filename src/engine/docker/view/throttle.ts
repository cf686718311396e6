// Throttles the requests of a container view: a token bucket that delays what exceeds it. Nothing is refused or lost.

import { elapsedMs } from '../../../clock.ts'
import { debtMs, refill } from '../../../token-bucket.ts'

export interface ThrottleOptions {
  readonly perSecond: number
  /** The size of the bucket. */
  readonly burst: number
  readonly now?: () => number
}

/** Counts a cost; returns how many milliseconds to wait before going on. */
export type Throttle = (cost: number) => number

export const createThrottle = ({ perSecond, burst, now = elapsedMs }: ThrottleOptions): Throttle => {
  const shape = { capacity: burst, perSecond }
  const bucket = { level: burst, at: now() }
  return (cost) => {
    refill(bucket, shape, now())
    bucket.level -= cost
    return Math.ceil(debtMs(bucket, shape))
  }
}
