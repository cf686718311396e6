// Random ids in lower-case Crockford base32: 5 bits per character, usable in URLs, host names and file names.

import { randomFillSync } from 'node:crypto'

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

const idBytes = 10
/** Random bytes are drawn for many ids at once, because the system call costs most. */
const pool = Buffer.alloc(400 * idBytes)
let used = pool.length

/** 80 random bits, 16 characters. */
export const createId = (): string => {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += idBytes
  return toBase32(pool.subarray(used - idBytes, used))
}

/** Whether it has the form of an id. */
export const isId = (text: string): boolean => /^[0-9a-z]{16}$/.test(text)
