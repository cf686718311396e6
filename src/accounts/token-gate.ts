// Authenticates tokens and limits guesses. An unknown token is counted before the database is queried, and beyond the limit the
// answer does not tell whether it was valid. A token that was valid before is not affected by guesses from the same network.

import { LabError } from '../errors.ts'
import type { Allowance, RateLimit } from '../rate-limit.ts'
import { tooManyRequests } from '../rate-limit.ts'
import type { Accounts } from './accounts.ts'
import type { Account } from './caller.ts'
import { bearerIn, hashToken, isWellFormed } from './token-format.ts'

/** The account of a token; or the error, and the rate limit of guesses from this network. */
export type Identified =
  | { readonly account: Account }
  | { readonly account: null; readonly error: LabError; readonly allowance: Allowance | null }

export interface TokenGateDeps {
  readonly accounts: Accounts
  /** Null where rate limits are off. */
  readonly rateLimit: RateLimit | null
}

/** How many valid tokens are remembered; beyond that all are forgotten, and each counts once as a guess again. */
const mostKnown = 10_000

const notValid = () =>
  new LabError('unauthorized', 'the access token is not valid', { hint: 'create one with ./lab token create --name NAME' })
const notBearer = () => new LabError('unauthorized', 'the Authorization header must be: Bearer <token>')

export const createTokenGate = ({ accounts, rateLimit }: TokenGateDeps) => {
  const known = new Set<string>()
  const underWay = new Map<string, Promise<Account | null>>()

  const remember = (hash: string) => {
    if (known.size >= mostKnown) known.clear()
    known.add(hash)
  }

  const refuse = (address: string, error: () => LabError): Identified => {
    const allowance = rateLimit?.take({ kind: 'anonymous', address }, 'auth') ?? null
    return { account: null, allowance, error: allowance?.allowed === false ? tooManyRequests('auth', allowance) : error() }
  }

  /** One query for all concurrent requests with the same token. */
  const lookUp = (token: string, hash: string): Promise<Account | null> => {
    const lookup = accounts.find(token).finally(() => underWay.delete(hash))
    underWay.set(hash, lookup)
    return lookup
  }

  const byToken = async (token: string, address: string): Promise<Identified> => {
    if (!isWellFormed(token)) return refuse(address, notValid)
    const hash = hashToken(token)
    if (known.has(hash) || underWay.has(hash)) {
      const account = await (underWay.get(hash) ?? accounts.find(token))
      if (account !== null) return { account }
      known.delete(hash)
      return refuse(address, notValid)
    }
    const guess = refuse(address, notValid)
    if (guess.account === null && guess.allowance?.allowed === false) return guess
    const account = await lookUp(token, hash)
    if (account === null) return guess
    rateLimit?.giveBack({ kind: 'anonymous', address }, 'auth')
    remember(hash)
    return { account }
  }

  return {
    byToken,

    /** By the Authorization header. */
    byHeader: async (header: string, address: string): Promise<Identified> => {
      const token = bearerIn(header)
      return token === null ? refuse(address, notBearer) : byToken(token, address)
    },
  }
}

export type TokenGate = ReturnType<typeof createTokenGate>
