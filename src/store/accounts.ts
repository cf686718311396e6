// Queries on accounts and personal access tokens.

import type { Insertable, Kysely, Selectable } from 'kysely'
import type { AccountTable, Tables, TokenTable } from './tables.ts'

export type AccountRow = Selectable<AccountTable>
export type TokenRow = Selectable<TokenTable>

export const createAccountStore = (db: Kysely<Tables>) => ({
  /** The account with this login; the row is inserted when there is none. */
  findOrCreate: async (row: Insertable<AccountTable>): Promise<AccountRow> => {
    await db
      .insertInto('account')
      .values(row)
      .onConflict((conflict) => conflict.column('login').doNothing())
      .execute()
    return db.selectFrom('account').selectAll().where('login', '=', row.login).executeTakeFirstOrThrow()
  },

  insertToken: async (row: Insertable<TokenTable>): Promise<void> => {
    await db.insertInto('token').values(row).execute()
  },

  findByTokenHash: async (hash: string): Promise<{ account: AccountRow; token: TokenRow } | null> => {
    const token = await db.selectFrom('token').selectAll().where('hash', '=', hash).executeTakeFirst()
    if (token === undefined) return null
    const account = await db.selectFrom('account').selectAll().where('id', '=', token.account_id).executeTakeFirstOrThrow()
    return { account, token }
  },

  /** Those that are neither revoked nor expired, newest first. */
  listTokens: (accountId: string, now: string): Promise<TokenRow[]> =>
    db
      .selectFrom('token')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute(),

  findToken: async (accountId: string, id: string): Promise<TokenRow | null> =>
    (await db.selectFrom('token').selectAll().where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst()) ?? null,

  /** Keeps the time of the first revocation. */
  revokeToken: async (id: string, revokedAt: string): Promise<void> => {
    await db.updateTable('token').set({ revoked_at: revokedAt }).where('id', '=', id).where('revoked_at', 'is', null).execute()
  },

  touchToken: async (id: string, usedAt: string): Promise<void> => {
    await db.updateTable('token').set({ last_used_at: usedAt }).where('id', '=', id).execute()
  },
})

export type AccountStore = ReturnType<typeof createAccountStore>
