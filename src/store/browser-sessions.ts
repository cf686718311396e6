// Queries on browser sessions and on what may be used once to open one.

import type { Kysely, Selectable } from 'kysely'
import type { AccountRow } from './accounts.ts'
import type { BrowserSessionTable, SignInTable, Tables } from './tables.ts'

export type BrowserSessionRow = Selectable<BrowserSessionTable>
export type SignInRow = Selectable<SignInTable>

export const createBrowserSessionStore = (db: Kysely<Tables>) => ({
  insert: async (row: BrowserSessionRow): Promise<void> => {
    await db.insertInto('browser_session').values(row).execute()
  },

  findByHash: async (hash: string): Promise<{ account: AccountRow; session: BrowserSessionRow } | null> => {
    const session = await db.selectFrom('browser_session').selectAll().where('hash', '=', hash).executeTakeFirst()
    if (session === undefined) return null
    const account = await db.selectFrom('account').selectAll().where('id', '=', session.account_id).executeTakeFirst()
    return account === undefined ? null : { account, session }
  },

  /** Those that have not ended, used last first. */
  list: (accountId: string, now: string, usedAfter: string): Promise<BrowserSessionRow[]> =>
    db
      .selectFrom('browser_session')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now)
      .where('last_used_at', '>', usedAfter)
      .orderBy('last_used_at', 'desc')
      .orderBy('id')
      .execute(),

  /** False when the account has no such session, or it was ended before. */
  revoke: async (accountId: string, id: string, revokedAt: string): Promise<boolean> => {
    const result = await db
      .updateTable('browser_session')
      .set({ revoked_at: revokedAt })
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    return result.numUpdatedRows > 0n
  },

  touch: async (id: string, usedAt: string): Promise<void> => {
    await db.updateTable('browser_session').set({ last_used_at: usedAt }).where('id', '=', id).execute()
  },

  insertLink: async (row: SignInRow): Promise<void> => {
    await db.insertInto('sign_in').values(row).execute()
  },

  /** Uses a link up. Null unless it is valid and unused. */
  useLink: (hash: string, now: string): Promise<string | null> =>
    db.transaction().execute(async (transaction) => {
      const used = await transaction
        .updateTable('sign_in')
        .set({ used_at: now })
        .where('hash', '=', hash)
        .where('account_id', 'is not', null)
        .where('used_at', 'is', null)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      if (used.numUpdatedRows === 0n) return null
      return (await transaction.selectFrom('sign_in').select('account_id').where('hash', '=', hash).executeTakeFirst())?.account_id ?? null
    }),

  /** Notes that an attempt with a provider has come back. False when it had before. */
  spendAttempt: async (hash: string, now: string, expiresAt: string): Promise<boolean> => {
    const inserted = await db
      .insertInto('sign_in')
      .values({ hash, account_id: null, expires_at: expiresAt, used_at: now })
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .executeTakeFirst()
    return (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n
  },

  /** Deletes what has ended. */
  purge: async (now: string, idleSince: string): Promise<void> => {
    await db
      .deleteFrom('browser_session')
      .where((build) =>
        build.or([build('expires_at', '<=', now), build('last_used_at', '<=', idleSince), build('revoked_at', 'is not', null)]),
      )
      .execute()
    await db.deleteFrom('sign_in').where('expires_at', '<=', now).execute()
  },
})

export type BrowserSessionStore = ReturnType<typeof createBrowserSessionStore>
