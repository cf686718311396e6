// Names for things: lower-case Crockford base32, 5 bits a character, usable in URLs, host names and file names.

import { randomBytes } from 'node:crypto'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

export const toBase32 = (bytes: Buffer): string => {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(held >>> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  return bits > 0 ? text + alphabet[(held << (5 - bits)) & 31] : text
}

/** 80 random bits, 16 characters. */
export const createId = (): string => toBase32(randomBytes(10))
