// Accounts and their personal access tokens, as rows.

import type { Insertable, Kysely, Selectable } from 'kysely'
import type { AccountTable, Tables, TokenTable } from './tables.ts'

export type AccountRow = Selectable<AccountTable>
export type TokenRow = Selectable<TokenTable>

export const createAccountStore = (db: Kysely<Tables>) => ({
  /** The account with this login; made from the row when there is none. */
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

  touchToken: async (id: string, usedAt: string): Promise<void> => {
    await db.updateTable('token').set({ last_used_at: usedAt }).where('id', '=', id).execute()
  },
})

export type AccountStore = ReturnType<typeof createAccountStore>
