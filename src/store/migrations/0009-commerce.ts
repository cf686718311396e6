// Checkouts with their history, the events of payment providers, entitlements, and the ledger of credits.

import { type Kysely, sql } from 'kysely'

const createCheckouts = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('checkout')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.references('account.id'))
    .addColumn('account_deleted_at', 'text')
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('live', 'integer', (column) => column.notNull())
    .addColumn('offer_kind', 'text', (column) => column.notNull().check(sql`offer_kind in ('plan', 'pack')`))
    .addColumn('offer_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('amount', 'integer', (column) => column.notNull().check(sql`amount >= 0`))
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('interval', 'text', (column) => column.notNull().check(sql`"interval" in ('month', 'once')`))
    .addColumn('credits', 'integer', (column) => column.notNull())
    .addColumn('hold', 'text', (column) => column.notNull().check(sql`hold in ('none', 'held', 'released', 'lost')`))
    .addColumn('status', 'text', (column) => column.notNull().check(sql`status in ('open', 'completed', 'expired', 'cancelled')`))
    .addColumn('payment_status', 'text', (column) =>
      column.notNull().check(sql`payment_status in ('unpaid', 'paid', 'refunded', 'disputed')`),
    )
    .addColumn('success_url', 'text')
    .addColumn('cancel_url', 'text')
    .addColumn('page_order', 'text')
    .addColumn('page_reference', 'text')
    .addColumn('page_url', 'text')
    .addColumn('page_closed_at', 'text')
    .addColumn('customer', 'text')
    .addColumn('subscription', 'text')
    .addColumn('subscription_stopped_at', 'text')
    .addColumn('request_id', 'text', (column) => column.unique())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addCheckConstraint('checkout_paid', sql`(status = 'completed') = (payment_status <> 'unpaid')`)
    .execute()
  await db.schema.createIndex('checkout_account').on('checkout').columns(['account_id', 'created_at']).execute()
  await db.schema.createIndex('checkout_status').on('checkout').columns(['status', 'expires_at']).execute()
  await db.schema.createIndex('checkout_hold').on('checkout').columns(['offer_id', 'hold']).execute()

  await db.schema
    .createTable('checkout_history')
    .addColumn('checkout_id', 'text', (column) => column.notNull().references('checkout.id'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('event', 'text', (column) => column.notNull())
    .addColumn('event_id', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('payment_status', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('checkout_history_key', ['checkout_id', 'position'])
    .execute()
}

const createEvents = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('payment_event')
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('checkout_id', 'text', (column) => column.references('checkout.id'))
    .addColumn('payment', 'text')
    .addColumn('subscription', 'text')
    .addColumn('customer', 'text')
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('received_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('payment_event_key', ['provider', 'id'])
    .execute()
  await db.schema.createIndex('payment_event_checkout').on('payment_event').column('checkout_id').execute()
  await db.schema.createIndex('payment_event_payment').on('payment_event').columns(['provider', 'payment']).execute()
  await db.schema.createIndex('payment_event_subscription').on('payment_event').columns(['provider', 'subscription']).execute()
}

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await createCheckouts(db)
  await createEvents(db)

  await db.schema
    .createTable('entitlement')
    .addColumn('checkout_id', 'text', (column) => column.primaryKey().references('checkout.id'))
    .addColumn('account_id', 'text', (column) => column.references('account.id'))
    .addColumn('plan_id', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('starts_at', 'text', (column) => column.notNull())
    .addColumn('ends_at', 'text')
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('entitlement_account').on('entitlement').column('account_id').execute()

  await db.schema
    .createTable('credit_entry')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.references('account.id'))
    .addColumn('amount', 'integer', (column) => column.notNull().check(sql`amount <> 0`))
    .addColumn('reason', 'text', (column) => column.notNull().check(sql`reason in ('purchase', 'refund', 'spend', 'give_back')`))
    .addColumn('cause', 'text', (column) => column.notNull().unique())
    .addColumn('checkout_id', 'text', (column) => column.references('checkout.id'))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('credit_entry_account').on('credit_entry').columns(['account_id', 'created_at']).execute()
  await db.schema.createIndex('credit_entry_checkout').on('credit_entry').column('checkout_id').execute()
}
