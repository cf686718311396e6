// What payment providers call an account, from before its first payment on: all its payments and subscriptions belong to one customer.

import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('customer')
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('live', 'integer', (column) => column.notNull())
    .addColumn('customer', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('customer_key', ['account_id', 'provider', 'live'])
    .execute()
}
