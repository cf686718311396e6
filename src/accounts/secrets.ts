// Secrets that are handed out once and stored as a hash only: cookies, sign-in links, tokens.

import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits, 43 characters that need no escape in a cookie or an address. */
export const createSecret = (): string => randomBytes(32).toString('base64url')

export const isSecret = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

/** What is stored and looked up. A look-up by hash compares no byte of the secret, so its duration tells nothing about it. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')
