// The pauses between attempts to reconnect.

import { expect, it } from 'vitest'
import { pauseBefore } from './backoff.ts'

it('waits longer after each failure, and never longer than a few seconds', () => {
  const pauses = Array.from({ length: 20 }, (_, attempt) => pauseBefore(attempt))
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
  expect(pauses[0]).toBeLessThan(1_000)
  expect(Math.max(...pauses)).toBeLessThanOrEqual(5_000)
})
