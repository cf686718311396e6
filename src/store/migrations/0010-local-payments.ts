// What the local payment provider keeps: its payments, and the events that it has to deliver.

import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('local_payment')
    .addColumn('reference', 'text', (column) => column.primaryKey())
    .addColumn('checkout_id', 'text', (column) => column.notNull().unique())
    .addColumn('customer', 'text', (column) => column.notNull())
    .addColumn('subscription', 'text', (column) => column.unique())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('local_payment_customer').on('local_payment').column('customer').execute()

  await db.schema
    .createTable('local_event')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('delivered_at', 'text')
    .execute()
  await db.schema.createIndex('local_event_delivery').on('local_event').columns(['delivered_at', 'created_at']).execute()
}
