// Accounts and their personal access tokens. Only hashes of tokens are stored.

import { addMinutes, type Clock } from '../clock.ts'
import type { Limits } from '../configured-limits.ts'
import type { ApiToken } from '../contract/token.ts'
import { LabError } from '../errors.ts'
import { createId } from '../ids.ts'
import type { AccountStore } from '../store/accounts.ts'
import type { TokenRow, TokenStore } from '../store/tokens.ts'
import type { Account } from './caller.ts'
import { hashSecret } from './secrets.ts'
import { createToken } from './token-format.ts'

const minutesPerDay = 24 * 60
const touchEveryMs = 60_000

export interface AccountsDeps {
  readonly store: { readonly accounts: AccountStore; readonly tokens: TokenStore }
  readonly clock: Clock
  readonly limits: Pick<Limits, 'accountTokens' | 'idempotencyHours'>
}

const metadataOf = ({ id, name, last_four, created_at, expires_at, last_used_at }: TokenRow): ApiToken => ({
  id,
  name,
  last_four,
  created_at,
  expires_at,
  last_used_at,
})

export const createAccounts = ({ store, clock, limits }: AccountsDeps) => ({
  /** The account of the operator of this installation; created when it does not exist. */
  operator: async (): Promise<Account> => {
    const now = clock.now().toISOString()
    const row = { id: createId(), name: 'Operator', role: 'operator' as const, created_at: now }
    const local = { provider: 'local' as const, subject: 'operator', login: 'operator', email: null, avatar_url: null }
    const account = await store.accounts.findOrCreate(row, { ...local, created_at: now, last_used_at: now })
    return { kind: 'account', accountId: account.id, role: account.role }
  },

  /** Throws token_limit_reached. `requestId` is that of a request with an idempotency key. */
  issueToken: async (caller: Account, name: string, days: number, requestId?: string): Promise<{ token: string; api_token: ApiToken }> => {
    const token = createToken()
    const now = clock.now()
    const row: TokenRow = {
      id: createId(),
      account_id: caller.accountId,
      name,
      hash: hashSecret(token),
      last_four: token.slice(-4),
      created_at: now.toISOString(),
      expires_at: addMinutes(now, days * minutesPerDay).toISOString(),
      last_used_at: null,
      revoked_at: null,
      request_id: requestId ?? null,
    }
    if (await store.tokens.insert(row, limits.accountTokens)) return { token, api_token: metadataOf(row) }
    throw new LabError('token_limit_reached', `an account has at most ${limits.accountTokens} tokens`, {
      hint: 'revoke one with DELETE /auth/tokens',
    })
  },

  /** The token that a request with an idempotency key has created, or null. */
  findIssued: async (requestId: string): Promise<ApiToken | null> => {
    const row = await store.tokens.findByRequest(requestId)
    return row === null ? null : metadataOf(row)
  },

  listTokens: async (caller: Account): Promise<ApiToken[]> =>
    (await store.tokens.list(caller.accountId, clock.now().toISOString())).map(metadataOf),

  /** Idempotent. Throws not_found unless the token is the caller's own. */
  revokeToken: async (caller: Account, id: string): Promise<{ token_id: string; revoked_at: string }> => {
    const owned = await store.tokens.find(caller.accountId, id)
    if (owned === null) throw new LabError('not_found', 'there is no such token', { hint: 'GET /auth/tokens lists yours' })
    await store.tokens.revoke(id, clock.now().toISOString())
    const { revoked_at } = (await store.tokens.find(caller.accountId, id)) ?? owned
    return { token_id: id, revoked_at: revoked_at as string }
  },

  /** The account of a valid token, by its hash, else null. Requests come through `token-gate.ts`, which limits guesses. */
  find: async (hash: string): Promise<Account | null> => {
    const found = await store.tokens.findByHash(hash)
    const now = clock.now()
    if (found === null || found.token.revoked_at !== null || found.token.expires_at <= now.toISOString()) return null
    const { account, token: row } = found
    if (row.last_used_at === null || now.getTime() - Date.parse(row.last_used_at) > touchEveryMs) {
      await store.tokens.touch(row.id, now.toISOString())
    }
    return { kind: 'account', accountId: account.id, role: account.role }
  },

  /** Deletes tokens that have ended, once no repeated request can ask for them any more. */
  purge: (): Promise<void> => store.tokens.purge(addMinutes(clock.now(), -limits.idempotencyHours * 60).toISOString()),
})

export type Accounts = ReturnType<typeof createAccounts>
