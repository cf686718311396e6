// Checks credentials and limits guesses. An unknown credential is counted before the database is queried, and beyond the limit the
// answer does not tell whether it was valid. One that was valid before is not affected by guesses from the same network. What is
// valid is looked up every time, so that a revocation takes effect at once.

import type { LabError } from '../errors.ts'
import { type Allowance, type RateLimit, tooManyRequests } from '../rate-limit.ts'

/** What a credential belongs to; or the error, and the rate limit of guesses from this network. */
export type Checked<Found> =
  | { readonly found: Found }
  | { readonly found: null; readonly error: LabError; readonly allowance: Allowance | null }

export interface CredentialGateDeps<Found> {
  /** By the hash of the credential. */
  readonly find: (hash: string) => Promise<Found | null>
  /** Null where rate limits are off. */
  readonly rateLimit: RateLimit | null
  readonly invalid: () => LabError
}

/** How many valid credentials are remembered; beyond that all are forgotten, and each counts once as a guess again. */
const mostKnown = 10_000

export const createCredentialGate = <Found>({ find, rateLimit, invalid }: CredentialGateDeps<Found>) => {
  const known = new Set<string>()
  const underWay = new Map<string, Promise<Found | null>>()

  const remember = (hash: string) => {
    if (known.size >= mostKnown) known.clear()
    known.add(hash)
  }

  /** Counts a guess. */
  const refuse = (address: string, error: () => LabError = invalid) => {
    const allowance = rateLimit?.take({ kind: 'anonymous', address }, 'auth') ?? null
    return {
      found: null,
      allowance,
      error: allowance?.allowed === false ? tooManyRequests('anonymous', 'auth', allowance) : error(),
    } as const
  }

  /** Whoever comes with the same credential meanwhile is no further guess. */
  const lookUp = (hash: string): Promise<Found | null> => {
    const lookup = find(hash).finally(() => underWay.delete(hash))
    underWay.set(hash, lookup)
    return lookup
  }

  return {
    refuse,

    check: async (hash: string, address: string): Promise<Checked<Found>> => {
      const first = underWay.get(hash)
      if (first !== undefined && (await first) === null) return refuse(address)
      if (first !== undefined || known.has(hash)) {
        const found = await find(hash) // what was found for an earlier request may have been revoked since
        if (found !== null) return { found }
        known.delete(hash)
        return refuse(address)
      }
      const guess = refuse(address)
      if (guess.allowance?.allowed === false) return guess
      const found = await lookUp(hash)
      if (found === null) return guess
      rateLimit?.giveBack({ kind: 'anonymous', address }, 'auth')
      remember(hash)
      return { found }
    },
  }
}
