// Stops work that keeps failing, and lets one try through after a while: longer each time it fails again.

import type { Clock } from './clock.ts'

const mostFailures = 3
const firstPauseMs = 60_000
const longestPauseMs = 30 * 60_000

export interface CircuitBreaker {
  readonly succeeded: () => void
  readonly failed: () => void
  readonly isOpen: () => boolean
}

export const createCircuitBreaker = (clock: Pick<Clock, 'now'>): CircuitBreaker => {
  let failures = 0
  let openUntil = 0
  return {
    succeeded: () => {
      failures = 0
    },
    failed: () => {
      failures += 1
      if (failures < mostFailures) return
      const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - mostFailures))
      openUntil = clock.now().getTime() + pause
    },
    isOpen: () => failures >= mostFailures && clock.now().getTime() < openUntil,
  }
}
