// Attempts to sign in at a provider. What has to come back with the browser is sealed into a cookie that names its attempt, so that
// several may be under way at once; nothing of it is stored.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { type ProviderName, providerNames } from '../../contract/account.ts'
import { createSecret, hashSecret } from '../secrets.ts'

const Sealed = z.strictObject({
  provider: z.enum(providerNames),
  verifier: z.string(),
  nonce: z.string(),
  returnTo: z.string(),
  /** The browser session whose account gets another identity; null for a sign-in. */
  linkSession: z.string().nullable(),
  expiresAt: z.iso.datetime(),
})

export interface Attempt extends z.infer<typeof Sealed> {
  readonly state: string
}

export interface BegunAttempt {
  readonly attempt: Attempt
  /** Names the cookie. */
  readonly id: string
  /** The value of the cookie. */
  readonly sealed: string
}

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** The part of a state that names its cookie; nobody finds the state by it. */
export const attemptIdOf = (state: string): string => hashSecret(state).slice(0, 16)

export interface AttemptsDeps {
  /** The secret of the installation. */
  readonly secret: string
  readonly clock: Clock
  readonly minutes: number
}

export const createAttempts = ({ secret, clock, minutes }: AttemptsDeps) => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'attempts to sign in', 32))

  const seal = (state: string, content: z.infer<typeof Sealed>): string => {
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(state))
    const text = Buffer.concat([cipher.update(JSON.stringify(content)), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
  }

  const unseal = (state: string, sealed: string): unknown => {
    const bytes = Buffer.from(sealed, 'base64url')
    try {
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
      decipher.setAAD(Buffer.from(state)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
      return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString())
    } catch {
      return undefined // it was sealed for another state, by somebody else, or not at all
    }
  }

  return {
    begin: (provider: ProviderName, returnTo: string, linkSession: string | null): BegunAttempt => {
      const state = createSecret()
      const expiresAt = new Date(clock.now().getTime() + minutes * 60_000).toISOString()
      const content = { provider, verifier: createSecret(), nonce: createSecret(), returnTo, linkSession, expiresAt }
      return { attempt: { ...content, state }, id: attemptIdOf(state), sealed: seal(state, content) }
    },

    /** Null unless the cookie was made for this provider and state, and is not too old. */
    open: (provider: ProviderName, state: string, sealed: string): Attempt | null => {
      const { data } = Sealed.safeParse(unseal(state, sealed))
      if (data === undefined || data.provider !== provider || data.expiresAt <= clock.now().toISOString()) return null
      return { ...data, state }
    },
  }
}

export type Attempts = ReturnType<typeof createAttempts>
