// The only source of time. Code that reads the time or sleeps takes a Clock.

import { setTimeout as delay } from 'node:timers/promises'

export interface Clock {
  now(): Date
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
}

/** Milliseconds since an arbitrary moment; for durations, never for dates. */
export const stopwatch = () => {
  const started = performance.now()
  return () => Math.round(performance.now() - started)
}

/** Monotonic, in whole milliseconds. */
export const elapsedMs = (): number => Math.floor(performance.now())

export const addMinutes = (date: Date, minutes: number): Date => new Date(date.getTime() + minutes * 60_000)
