import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pageExpiry } from './stripe.ts'

const start = Date.parse('2026-03-04T05:06:07.890Z')
const minute = 60_000

it('lets a page end within the bounds of Stripe, whenever it is opened in the life of a checkout', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 * 24 * 60 }), fc.double({ min: 0, max: 1, noNaN: true }), (minutes, part) => {
      const opened = start + Math.floor(part * minutes * minute)
      const seconds = pageExpiry(new Date(start + minutes * minute).toISOString(), new Date(opened)) - opened / 1000
      expect(seconds).toBeGreaterThanOrEqual(30 * 60)
      expect(seconds).toBeLessThanOrEqual(24 * 60 * 60)
    }),
  )
})

it('says the same at the beginning and at the end of a checkout', () => {
  const ends = new Date(start + 30 * minute).toISOString()
  const said = [0, 1, 15 * minute, 30 * minute].map((later) => pageExpiry(ends, new Date(start + later)))
  expect(new Set(said).size).toBe(1)
})
