// The format of personal access tokens: ilab_pat_, 32 random base62 characters, 6 characters of checksum.
// By the checksum, scanners and this service recognize a token without a database query.

import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const prefix = 'ilab_pat_'
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 32
const checksumLength = 6

const checksum = (secret: string): string => {
  let value = crc32(secret)
  let text = ''
  for (let index = 0; index < checksumLength; index += 1) {
    text = alphabet[value % alphabet.length] + text
    value = Math.floor(value / alphabet.length)
  }
  return text
}

/** The token with this secret. */
export const tokenOf = (secret: string): string => `${prefix}${secret}${checksum(secret)}`

export const createToken = (): string => tokenOf(Array.from({ length: secretLength }, () => alphabet[randomInt(alphabet.length)]).join(''))

export const isWellFormed = (token: string): boolean => {
  const match = /^ilab_pat_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/.exec(token)
  return match !== null && checksum(match[1] as string) === match[2]
}

/** The token in an Authorization header; null for other schemes than Bearer. */
export const bearerIn = (header: string): string | null => /^Bearer +(\S+)$/i.exec(header)?.[1] ?? null
