// Authenticates the cookies of browser sessions, with the same limit on guesses as tokens.

import { LabError } from '../errors.ts'
import type { RateLimit } from '../rate-limit.ts'
import type { BrowserSessions, SignedIn } from './browser-sessions.ts'
import { type Checked, createCredentialGate } from './credential-gate.ts'
import { hashSecret, isSecret } from './secrets.ts'

export interface BrowserSessionGateDeps {
  readonly sessions: Pick<BrowserSessions, 'find'>
  /** Null where rate limits are off. */
  readonly rateLimit: RateLimit | null
}

const ended = () => new LabError('unauthorized', 'the browser session has ended', { hint: 'sign in again' })

export const createBrowserSessionGate = ({ sessions, rateLimit }: BrowserSessionGateDeps) => {
  const gate = createCredentialGate({ find: sessions.find, rateLimit, invalid: ended })
  return {
    byCookie: async (value: string, address: string): Promise<Checked<SignedIn>> =>
      isSecret(value) ? gate.check(hashSecret(value), address) : gate.refuse(address),
  }
}

export type BrowserSessionGate = ReturnType<typeof createBrowserSessionGate>
