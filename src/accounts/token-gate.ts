// Authenticates personal access tokens. The checksum is looked at first: what is not a token at all needs no query.

import { LabError } from '../errors.ts'
import type { Allowance, RateLimit } from '../rate-limit.ts'
import type { Accounts } from './accounts.ts'
import type { Account } from './caller.ts'
import { type Checked, createCredentialGate } from './credential-gate.ts'
import { hashSecret } from './secrets.ts'
import { bearerIn, isWellFormed } from './token-format.ts'

/** The account of a token; or the error, and the rate limit of guesses from this network. */
export type Identified =
  | { readonly account: Account }
  | { readonly account: null; readonly error: LabError; readonly allowance: Allowance | null }

export interface TokenGateDeps {
  readonly accounts: Pick<Accounts, 'find'>
  /** Null where rate limits are off. */
  readonly rateLimit: RateLimit | null
}

const notValid = () =>
  new LabError('unauthorized', 'the access token is not valid', {
    hint: 'create one with POST /auth/tokens in a signed-in session',
  })
const notBearer = () => new LabError('unauthorized', 'the Authorization header must be: Bearer <token>')

const identifiedBy = (checked: Checked<Account>): Identified =>
  checked.found === null ? { account: null, error: checked.error, allowance: checked.allowance } : { account: checked.found }

export const createTokenGate = ({ accounts, rateLimit }: TokenGateDeps) => {
  const gate = createCredentialGate({ find: accounts.find, rateLimit, invalid: notValid })

  const byToken = async (token: string, address: string): Promise<Identified> =>
    identifiedBy(isWellFormed(token) ? await gate.check(hashSecret(token), address) : gate.refuse(address))

  return {
    byToken,

    /** By the Authorization header. */
    byHeader: async (header: string, address: string): Promise<Identified> => {
      const token = bearerIn(header)
      return token === null ? identifiedBy(gate.refuse(address, notBearer)) : byToken(token, address)
    },
  }
}

export type TokenGate = ReturnType<typeof createTokenGate>
