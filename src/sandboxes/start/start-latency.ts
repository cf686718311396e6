// How long the latest starts took, warm and cold. In memory: each server knows its own.

import type { ServiceStatus } from '../../contract/status.ts'

const remembered = 100

export type StartKind = keyof ServiceStatus['starts']

/** The smallest value that so many of a hundred do not exceed. */
const percentile = (sorted: readonly number[], percent: number): number => sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0

const summary = (times: readonly number[]) => {
  if (times.length === 0) return null
  const sorted = times.toSorted((one, other) => one - other)
  return { count: sorted.length, p50_ms: percentile(sorted, 50), p95_ms: percentile(sorted, 95) }
}

/** `now` is in whole milliseconds, and monotonic. */
export const createStartLatency = (now: () => number) => {
  const times: Record<StartKind, number[]> = { warm: [], cold: [] }
  return {
    /** Call the result when the sandbox runs. */
    begin: () => {
      const begun = now()
      return (kind: StartKind): void => {
        times[kind] = [...times[kind].slice(1 - remembered), now() - begun]
      }
    },
    read: (): ServiceStatus['starts'] => ({ warm: summary(times.warm), cold: summary(times.cold) }),
  }
}

export type StartLatency = ReturnType<typeof createStartLatency>
