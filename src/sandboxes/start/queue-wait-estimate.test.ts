import { expect, it } from 'vitest'
import { estimateWaitSeconds } from './queue-wait-estimate.ts'

const lived = (...seconds: number[]) =>
  seconds.map((life) => ({ created_at: '2026-01-01T00:00:00.000Z', ended_at: new Date(Date.UTC(2026, 0, 1) + life * 1000).toISOString() }))

it('is known only after three real ends', () => {
  expect(estimateWaitSeconds(1, 10, [])).toBeNull()
  expect(estimateWaitSeconds(1, 10, lived(60, 60))).toBeNull()
  expect(estimateWaitSeconds(1, 10, lived(60, 60, 60))).toBe(6)
})

it('grows with the place in the queue and shrinks with the room', () => {
  const lives = lived(100, 200, 300)
  expect([1, 2, 10].map((position) => estimateWaitSeconds(position, 4, lives))).toEqual([50, 100, 500])
  expect(estimateWaitSeconds(1, 400, lives)).toBe(1)
  expect(estimateWaitSeconds(0, 4, [])).toBe(0)
})
