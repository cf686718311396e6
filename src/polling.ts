// Polls until a condition is met, and retries until an operation succeeds.

import { setTimeout as delay } from 'node:timers/promises'

export interface PollOptions {
  readonly pauseMs: number
  readonly withinMs: number
}

/** The first value that is wanted; the last one that was seen, once another look would come too late. */
export const poll = async <T>(
  look: () => T | Promise<T>,
  isWanted: (value: T) => boolean,
  { pauseMs, withinMs }: PollOptions,
): Promise<T> => {
  const until = performance.now() + withinMs
  for (;;) {
    const value = await look()
    if (isWanted(value) || performance.now() + pauseMs > until) return value
    await delay(pauseMs)
  }
}

export interface RetryOptions {
  /** Of the attempt that failed, counted from 1. */
  readonly pauseMs: (attempt: number) => number
  readonly withinMs: number
}

/** What the work comes to once nothing passing stands in its way. Throws every other error, and the last one when it is too late. */
export const retry = async <T>(
  work: () => Promise<T>,
  isPassing: (error: unknown) => boolean,
  { pauseMs, withinMs }: RetryOptions,
): Promise<T> => {
  const until = performance.now() + withinMs
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isPassing(error) || performance.now() > until) throw error
      await delay(pauseMs(attempt))
    }
  }
}
