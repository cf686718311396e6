import { expect, it } from 'vitest'
import { debtMs, refill } from './token-bucket.ts'

const shape = { capacity: 10, perSecond: 4 }

it('fills at its rate, up to what it holds', () => {
  const bucket = { level: 0, at: 1_000 }
  refill(bucket, shape, 1_500)
  expect(bucket).toEqual({ level: 2, at: 1_500 })
  refill(bucket, shape, 1_500)
  expect(bucket.level).toBe(2)
  refill(bucket, shape, 60_000)
  expect(bucket).toEqual({ level: 10, at: 60_000 })
})

it('owes what was taken too early, until that has come', () => {
  const bucket = { level: -2, at: 0 }
  expect(debtMs(bucket, shape)).toBe(500)
  refill(bucket, shape, 500)
  expect([bucket.level, debtMs(bucket, shape)]).toEqual([0, 0])
})
