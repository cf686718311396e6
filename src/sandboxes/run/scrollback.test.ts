import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRing, createScrollbacks } from './scrollback.ts'

const bytesOf = (size: number, seed = 0) => Buffer.from(Array.from({ length: size }, (_, index) => (index * 7 + seed) % 128))

describe('a ring', () => {
  it('holds the end of all that was written, wherever it is asked from, and whatever its limit was meanwhile', () => {
    const step = fc.oneof(
      fc.record({ write: fc.uint8Array({ maxLength: 9000 }).map((bytes) => Buffer.from(bytes.map((byte) => byte & 0x7f))) }),
      fc.record({ limit: fc.integer({ min: 1, max: 12_000 }) }),
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20_000 }), fc.array(step, { maxLength: 30 }), fc.nat(60_000), (limit, steps, offset) => {
        const ring = createRing(limit)
        let all: Buffer = Buffer.alloc(0)
        let least = limit
        let current = limit
        for (const one of steps) {
          if ('limit' in one) {
            ring.limitTo(one.limit)
            current = one.limit
            least = Math.min(least, current)
          } else {
            ring.append(one.write)
            all = Buffer.concat([all, one.write])
          }
        }
        const from = Math.min(offset, all.length)
        const replay = ring.since(from)
        expect(ring.end()).toBe(all.length)
        expect(replay.bytes.equals(all.subarray(replay.offset))).toBe(true)
        expect(replay.offset).toBeGreaterThanOrEqual(from)
        expect(ring.since(0).bytes.length).toBeLessThanOrEqual(current)
        expect(ring.since(all.length + 1 + offset)).toEqual({ offset: all.length, bytes: Buffer.alloc(0) })
        if (all.length - from <= least) expect(replay.offset).toBe(from)
      }),
    )
  })

  it('does not begin inside a character', () => {
    const ring = createRing(10)
    ring.append(Buffer.from('ééééééé'))
    expect(ring.since(0)).toEqual({ offset: 4, bytes: Buffer.from('ééééé') })
    ring.append(Buffer.from('x'))
    expect(ring.since(0)).toEqual({ offset: 6, bytes: Buffer.from('ééééx') })
    expect(ring.since(7).bytes.toString('hex')).toBe(Buffer.from('ééééx').subarray(1).toString('hex'))
  })
})

describe('the memory of all', () => {
  it('is shared out, and given back', () => {
    const scrollbacks = createScrollbacks({ eachBytes: 32_768, inAllBytes: 65_536 })
    const many = Array.from({ length: 8 }, () => scrollbacks.create())
    for (const [index, one] of many.entries()) one.append(bytesOf(50_000, index))
    expect(many.reduce((sum, one) => sum + one.since(0).bytes.length, 0)).toBeLessThanOrEqual(65_536)
    for (const one of many.slice(1)) one.drop()
    const [first] = many
    first?.append(bytesOf(50_000, 1))
    expect(first?.since(0).bytes.length).toBe(32_768)
  })
})
