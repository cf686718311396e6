// Queries on what payment providers call accounts.

import type { Kysely, Selectable } from 'kysely'
import type { CustomerTable } from './commerce-tables.ts'
import type { Tables } from './tables.ts'

type CustomerRow = Selectable<CustomerTable>
/** An account at a provider; tests of the provider and real money are apart. */
export type CustomerKey = Pick<CustomerRow, 'account_id' | 'provider' | 'live'>

export const createCustomerStore = (db: Kysely<Tables>) => {
  const find = async ({ account_id, provider, live }: CustomerKey): Promise<string | null> => {
    const row = await db
      .selectFrom('customer')
      .select('customer')
      .where('account_id', '=', account_id)
      .where('provider', '=', provider)
      .where('live', '=', live)
      .executeTakeFirst()
    return row?.customer ?? null
  }

  return {
    find,

    /** Keeps it, unless another one is kept already. Returns the one that is kept; null for an account that is gone. */
    keep: async (row: CustomerRow): Promise<string | null> => {
      await db
        .insertInto('customer')
        .columns(['account_id', 'provider', 'live', 'customer', 'created_at'])
        .expression(
          db
            .selectFrom('account')
            .select(({ val }) => [
              'id',
              val(row.provider).as('provider'),
              val(row.live).as('live'),
              val(row.customer).as('customer'),
              val(row.created_at).as('created_at'),
            ])
            .where('id', '=', row.account_id),
        )
        .onConflict((conflict) => conflict.columns(['account_id', 'provider', 'live']).doNothing())
        .execute()
      return find(row)
    },

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
