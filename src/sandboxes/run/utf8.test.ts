import fc from 'fast-check'
import { expect, it } from 'vitest'
import { completeLength } from './utf8.ts'

const inPieces = (bytes: Buffer, size: number): string => {
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const piece = bytes.subarray(at, at + size)
    const length = at + size < bytes.length ? completeLength(piece) : piece.length
    expect(length).toBeGreaterThan(0)
    text += piece.toString('utf8', 0, length)
    at += length
  }
  return text
}

it('text read in pieces of any size is the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 12 }), (text, size) => {
      expect(inPieces(Buffer.from(text), size)).toBe(Buffer.from(text).toString())
    }),
  )
})

it('bytes that are no text are read to their end too', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 4, max: 12 }), (bytes, size) => {
      inPieces(Buffer.from(bytes), size)
    }),
  )
})
