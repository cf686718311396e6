// Queries on what payment providers call accounts.

import type { Kysely, Selectable } from 'kysely'
import type { CommerceLocks } from './checkouts.ts'
import type { CustomerTable } from './commerce-tables.ts'
import type { Tables } from './tables.ts'

type CustomerRow = Selectable<CustomerTable>
/** An account at a provider; tests of the provider and real money are apart. */
export type CustomerKey = Pick<CustomerRow, 'account_id' | 'provider' | 'live'>

/** `keepAccount`: the account is not deleted during the transaction. */
export const createCustomerStore = (db: Kysely<Tables>, keepAccount: CommerceLocks['accountKept']) => {
  const find = async (on: Kysely<Tables>, { account_id, provider, live }: CustomerKey): Promise<string | null> => {
    const row = await on
      .selectFrom('customer')
      .select('customer')
      .where('account_id', '=', account_id)
      .where('provider', '=', provider)
      .where('live', '=', live)
      .executeTakeFirst()
    return row?.customer ?? null
  }

  return {
    find: (key: CustomerKey): Promise<string | null> => find(db, key),

    /** Keeps it, unless another one is kept already. Returns the one that is kept; null for an account that is gone. */
    keep: (row: CustomerRow): Promise<string | null> =>
      db.transaction().execute(async (transaction) => {
        await keepAccount(transaction, row.account_id)
        const account = await transaction.selectFrom('account').select('id').where('id', '=', row.account_id).executeTakeFirst()
        if (account === undefined) return null
        await transaction
          .insertInto('customer')
          .values(row)
          .onConflict((conflict) => conflict.columns(['account_id', 'provider', 'live']).doNothing())
          .execute()
        return find(transaction, row)
      }),

    /** The customer of the newest payment. */
    findPaying: async ({ account_id, provider, live }: CustomerKey): Promise<string | null> => {
      const row = await db
        .selectFrom('checkout')
        .select('customer')
        .where('account_id', '=', account_id)
        .where('provider', '=', provider)
        .where('live', '=', live)
        .where('customer', 'is not', null)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .executeTakeFirst()
      return row?.customer ?? null
    },
  }
}

export type CustomerStore = ReturnType<typeof createCustomerStore>
