// Accounts and their personal access tokens. Only hashes of tokens are stored.

import { addMinutes, type Clock } from '../clock.ts'
import type { ApiToken } from '../contract/token.ts'
import { LabError } from '../errors.ts'
import { createId } from '../ids.ts'
import type { AccountStore } from '../store/accounts.ts'
import type { Account } from './caller.ts'
import { createToken, hashToken, isWellFormed } from './token-format.ts'

const minutesPerDay = 24 * 60
const touchEveryMs = 60_000

export const createAccounts = ({ store, clock }: { store: AccountStore; clock: Clock }) => ({
  /** The account of the operator of this installation; created when it does not exist. */
  operator: async (): Promise<Account> => {
    const row = { id: createId(), login: 'operator', name: 'Operator', role: 'operator' as const, created_at: clock.now().toISOString() }
    const account = await store.findOrCreate(row)
    return { kind: 'account', accountId: account.id, login: account.login, role: account.role }
  },

  issueToken: async (caller: Account, name: string, days: number): Promise<{ token: string; api_token: ApiToken }> => {
    const token = createToken()
    const now = clock.now()
    const api_token: ApiToken = {
      id: createId(),
      name,
      last_four: token.slice(-4),
      created_at: now.toISOString(),
      expires_at: addMinutes(now, days * minutesPerDay).toISOString(),
      last_used_at: null,
    }
    await store.insertToken({ ...api_token, account_id: caller.accountId, hash: hashToken(token), revoked_at: null })
    return { token, api_token }
  },

  listTokens: async (caller: Account): Promise<ApiToken[]> =>
    (await store.listTokens(caller.accountId, clock.now().toISOString())).map(
      ({ id, name, last_four, created_at, expires_at, last_used_at }) => ({ id, name, last_four, created_at, expires_at, last_used_at }),
    ),

  /** Idempotent. Throws not_found unless the token is the caller's own. */
  revokeToken: async (caller: Account, id: string): Promise<{ token_id: string; revoked_at: string }> => {
    const owned = await store.findToken(caller.accountId, id)
    if (owned === null) throw new LabError('not_found', 'there is no such token', { hint: 'GET /auth/tokens lists yours' })
    await store.revokeToken(id, clock.now().toISOString())
    const { revoked_at } = (await store.findToken(caller.accountId, id)) ?? owned
    return { token_id: id, revoked_at: revoked_at as string }
  },

  /** The account of a valid token, else null. Requests come through `token-gate.ts`, which limits guesses. */
  find: async (token: string): Promise<Account | null> => {
    const found = isWellFormed(token) ? await store.findByTokenHash(hashToken(token)) : null
    const now = clock.now()
    if (found === null || found.token.revoked_at !== null || found.token.expires_at <= now.toISOString()) return null
    const { account, token: row } = found
    if (row.last_used_at === null || now.getTime() - Date.parse(row.last_used_at) > touchEveryMs) {
      await store.touchToken(row.id, now.toISOString())
    }
    return { kind: 'account', accountId: account.id, login: account.login, role: account.role }
  },
})

export type Accounts = ReturnType<typeof createAccounts>
