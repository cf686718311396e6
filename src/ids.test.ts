import { describe, expect, it } from 'vitest'
import { createId, toBase32 } from './ids.ts'

describe('toBase32', () => {
  it.each([
    ['', ''],
    ['00', '00'],
    ['ff', 'zw'],
    ['0000000000', '00000000'],
    ['ffffffffff', 'zzzzzzzz'],
    ['f80000', 'z0000'],
    ['0123456789abcdef', '04hmasw9nf6yy'],
  ])('%s is %s', (hex, text) => {
    expect(toBase32(Buffer.from(hex, 'hex'))).toBe(text)
  })

  it('keeps every bit: different bytes have different names', () => {
    const names = new Set(Array.from({ length: 65_536 }, (_, value) => toBase32(Buffer.from([value >> 8, value & 255]))))
    expect(names.size).toBe(65_536)
  })
})

describe('createId', () => {
  it('is 16 characters that fit in URLs, host names and file names', () => {
    for (let round = 0; round < 1000; round += 1) expect(createId()).toMatch(/^[0-9a-hjkmnp-tv-z]{16}$/)
  })

  it('does not repeat', () => {
    expect(new Set(Array.from({ length: 20_000 }, createId)).size).toBe(20_000)
  })
})
