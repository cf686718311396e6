// Queries on personal access tokens.

import type { Kysely, Selectable } from 'kysely'
import type { AccountRow } from './accounts.ts'
import type { Tables, TokenTable } from './tables.ts'

export type TokenRow = Selectable<TokenTable>

export const createTokenStore = (db: Kysely<Tables>, lockAccount: (transaction: Kysely<Tables>, id: string) => Promise<void>) => {
  /** Those that are neither revoked nor expired, newest first. */
  const list = (on: Kysely<Tables>, accountId: string, now: string): Promise<TokenRow[]> =>
    on
      .selectFrom('token')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute()

  return {
    /** False when the account has `most` already. */
    insert: (row: TokenRow, most: number): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        await lockAccount(transaction, row.account_id)
        if ((await list(transaction, row.account_id, row.created_at)).length >= most) return false
        await transaction.insertInto('token').values(row).execute()
        return true
      }),

    findByHash: async (hash: string): Promise<{ account: AccountRow; token: TokenRow } | null> => {
      const token = await db.selectFrom('token').selectAll().where('hash', '=', hash).executeTakeFirst()
      if (token === undefined) return null
      const account = await db.selectFrom('account').selectAll().where('id', '=', token.account_id).executeTakeFirst()
      return account === undefined ? null : { account, token }
    },

    findByRequest: async (requestId: string): Promise<TokenRow | null> =>
      (await db.selectFrom('token').selectAll().where('request_id', '=', requestId).executeTakeFirst()) ?? null,

    list: (accountId: string, now: string): Promise<TokenRow[]> => list(db, accountId, now),

    find: async (accountId: string, id: string): Promise<TokenRow | null> =>
      (await db.selectFrom('token').selectAll().where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst()) ?? null,

    /** Keeps the time of the first revocation. */
    revoke: async (id: string, revokedAt: string): Promise<void> => {
      await db.updateTable('token').set({ revoked_at: revokedAt }).where('id', '=', id).where('revoked_at', 'is', null).execute()
    },

    /** Deletes those that were revoked, or expired, before then. */
    purge: async (before: string): Promise<void> => {
      await db
        .deleteFrom('token')
        .where((build) => build.or([build('revoked_at', '<', before), build('expires_at', '<', before)]))
        .execute()
    },

    touch: async (id: string, usedAt: string): Promise<void> => {
      await db.updateTable('token').set({ last_used_at: usedAt }).where('id', '=', id).execute()
    },
  }
}

export type TokenStore = ReturnType<typeof createTokenStore>
