// Limits how many reports of payment providers are worked on at once; a bounded number of others waits.

import { LabError } from '../errors.ts'
import { createSemaphore } from '../semaphore.ts'

export interface IntakeOptions {
  readonly atOnce?: number
  readonly mostWaiting?: number
}

const tooMany = () =>
  new LabError('rate_limited', 'too many reports are being worked on', { hint: 'send it again shortly', retryAfterSeconds: 1 })

export const createIntake = ({ atOnce = 4, mostWaiting = 500 }: IntakeOptions = {}) => {
  const semaphore = createSemaphore(atOnce)
  let inside = 0
  /** Throws rate_limited when too many are waiting. */
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (inside >= atOnce + mostWaiting) throw tooMany()
    inside += 1
    try {
      return await semaphore(work)
    } finally {
      inside -= 1
    }
  }
}
