// Stops work that keeps failing, and lets one try through after a while: longer each time it fails again.

import { elapsedMs } from './clock.ts'

export interface CircuitBreakerOptions {
  /** In a row: so many open it. */
  readonly mostFailures?: number
  readonly firstPauseMs?: number
  readonly longestPauseMs?: number
  readonly now?: () => number
}

export interface CircuitBreaker {
  readonly succeeded: () => void
  readonly failed: () => void
  readonly isOpen: () => boolean
}

export const createCircuitBreaker = ({
  mostFailures = 3,
  firstPauseMs = 60_000,
  longestPauseMs = 30 * 60_000,
  now = elapsedMs,
}: CircuitBreakerOptions = {}): CircuitBreaker => {
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
      openUntil = now() + pause
    },
    isOpen: () => failures >= mostFailures && now() < openUntil,
  }
}
