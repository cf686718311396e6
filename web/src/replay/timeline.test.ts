// How time passes in a replay.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cast, CastEvent } from './cast.ts'
import { advance, bursts, clock, happenedBy, markedStops, stopFrom } from './timeline.ts'

const castOf = (...times: readonly number[]): Cast => {
  const events = times.map((at): CastEvent => ({ at, kind: 'output', text: String(at) }))
  return { columns: 80, rows: 24, events, seconds: times.at(-1) ?? 0, problem: null }
}

describe('time', () => {
  const cast = castOf(1, 2, 60, 60.5)

  it('passes at the speed that was chosen, and stops at the end', () => {
    expect(advance(cast, 3, 2, { speed: 4, skipsPauses: false })).toBe(11)
    expect(advance(cast, 3, 1000, { speed: 0.5, skipsPauses: false })).toBe(60.5)
    expect(advance(castOf(), 0, 1, { speed: 1, skipsPauses: true })).toBe(0)
  })

  it('leaves a second of each pause when pauses are skipped', () => {
    expect(advance(cast, 2, 0.5, { speed: 1, skipsPauses: true })).toBe(2.5)
    expect(advance(cast, 2, 1.25, { speed: 1, skipsPauses: true })).toBe(60.25)
    expect(advance(cast, 30, 0.25, { speed: 1, skipsPauses: true })).toBe(60.25)
  })

  it('never goes back, passes the end or stands still', () => {
    const times = fc.array(fc.double({ min: 0, max: 1000, noNaN: true })).map((all) => all.toSorted((a, b) => a - b))
    const position = fc.double({ min: 0, max: 1000, noNaN: true })
    fc.assert(
      fc.property(times, position, fc.constantFrom(0.5, 1, 8), fc.boolean(), (all, from, speed, skipsPauses) => {
        const some = castOf(...all)
        const start = Math.min(from, some.seconds)
        const after = advance(some, start, 0.5, { speed, skipsPauses })
        expect(after).toBeLessThanOrEqual(some.seconds)
        expect(start < some.seconds ? after > start : after === start).toBe(true)
      }),
    )
  })

  it('is told in minutes and seconds', () => {
    expect([clock(0), clock(9.9), clock(75), clock(3600)]).toEqual(['0:00', '0:09', '1:15', '60:00'])
  })
})

describe('what one can jump to', () => {
  it('is each command that is marked, or else output after a pause', () => {
    const cast = castOf(1, 2, 60, 60.5, 70)
    expect(bursts(cast).map(({ at }) => at)).toEqual([1, 60, 70])
    const marked: Cast = { ...cast, events: [{ at: 5, kind: 'marker', text: 'root@web# ls' }, ...cast.events] }
    expect(markedStops(marked)).toEqual([{ at: 5, label: 'root@web# ls' }])
    expect(happenedBy(cast.events, 60)).toBe(3)
  })

  it('is the next, and the one before', () => {
    const stops = [1, 5, 9].map((at) => ({ at, label: '' }))
    expect(stopFrom(stops, 5, 1)?.at).toBe(9)
    expect(stopFrom(stops, 5.5, -1)?.at).toBe(1)
    expect(stopFrom(stops, 8, -1)?.at).toBe(5)
    expect(stopFrom(stops, 9, 1)).toBeUndefined()
  })
})
