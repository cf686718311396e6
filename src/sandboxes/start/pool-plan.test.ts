import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planPool } from './pool-plan.ts'

const courses = ['a', 'b', 'c', 'd']
const plan = (slots: number, recent: Record<string, number>) =>
  Object.fromEntries(planPool({ slots, courses, always: 'a', recent: new Map(Object.entries(recent)) }))

describe('the plan of the warm pool', () => {
  it('keeps one of the default course when nobody wants anything', () => {
    expect(plan(4, {})).toEqual({ a: 1 })
    expect(plan(0, { b: 9 })).toEqual({})
  })

  it('follows demand, and shares what is scarce by it', () => {
    expect(plan(4, { a: 3 })).toEqual({ a: 3 })
    expect(plan(4, { b: 2 })).toEqual({ a: 1, b: 2 })
    expect(plan(4, { a: 20, b: 20 })).toEqual({ a: 2, b: 2 })
    expect(plan(5, { b: 30, c: 10 })).toEqual({ a: 1, b: 3, c: 1 })
  })

  it('knows only the courses that may stand ready', () => {
    expect(plan(4, { gone: 50 })).toEqual({ a: 1 })
  })

  it('never gives more than there are slots, or than were wanted', () => {
    const recent = fc.dictionary(fc.constantFrom(...courses, 'gone'), fc.nat(40))
    fc.assert(
      fc.property(fc.nat(30), recent, (slots, wanted) => {
        const result = plan(slots, wanted)
        const total = Object.values(result).reduce((sum, count) => sum + count, 0)
        expect(total).toBeLessThanOrEqual(slots)
        for (const [course, count] of Object.entries(result)) {
          expect(count).toBeLessThanOrEqual(Math.max(wanted[course] ?? 0, course === 'a' ? 1 : 0))
        }
        const unmet = courses.some((course) => (result[course] ?? 0) < (wanted[course] ?? 0))
        if (unmet) expect(total).toBe(slots)
      }),
    )
  })
})
