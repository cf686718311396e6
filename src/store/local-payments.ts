// Queries on what the local payment provider keeps.

import type { Kysely, Selectable } from 'kysely'
import type { LocalEventTable, LocalPaymentTable, Tables } from './tables.ts'

export type LocalPaymentRow = Selectable<LocalPaymentTable>
export type LocalEventRow = Selectable<LocalEventTable>

/** Makes other transactions wait that change this row. */
export type LockLocalPayment = (transaction: Kysely<Tables>, reference: string) => Promise<void>

export const createLocalPaymentStore = (db: Kysely<Tables>, lock: LockLocalPayment) => {
  const find = async (from: Kysely<Tables>, reference: string): Promise<LocalPaymentRow | null> =>
    (await from.selectFrom('local_payment').selectAll().where('reference', '=', reference).executeTakeFirst()) ?? null

  return {
    /** The row of this checkout: this one, or the one that was there before. */
    open: async (row: LocalPaymentRow): Promise<LocalPaymentRow> => {
      await db
        .insertInto('local_payment')
        .values(row)
        .onConflict((conflict) => conflict.column('checkout_id').doNothing())
        .execute()
      return db.selectFrom('local_payment').selectAll().where('checkout_id', '=', row.checkout_id).executeTakeFirstOrThrow()
    },

    find: (reference: string): Promise<LocalPaymentRow | null> => find(db, reference),

    findBySubscription: async (subscription: string): Promise<LocalPaymentRow | null> =>
      (await db.selectFrom('local_payment').selectAll().where('subscription', '=', subscription).executeTakeFirst()) ?? null,

    /** In the order in which they were opened. */
    list: (customer?: string): Promise<LocalPaymentRow[]> => {
      const all = db.selectFrom('local_payment').selectAll().orderBy('created_at').orderBy('reference')
      return (customer === undefined ? all : all.where('customer', '=', customer)).execute()
    },

    /** Replaces the row by what is made of it, and adds the event, together. Null when there is no such row. */
    change: (
      reference: string,
      next: (row: LocalPaymentRow) => { readonly row: LocalPaymentRow; readonly event: LocalEventRow | null },
    ): Promise<LocalPaymentRow | null> =>
      db.transaction().execute(async (transaction) => {
        await lock(transaction, reference)
        const found = await find(transaction, reference)
        if (found === null) return null
        const { row, event } = next(found)
        const { state, subscription } = row
        await transaction.updateTable('local_payment').set({ state, subscription }).where('reference', '=', reference).execute()
        if (event !== null) await transaction.insertInto('local_event').values(event).execute()
        return row
      }),

    /** Those that wait to be delivered, oldest first. */
    listUndelivered: (createdAfter: string, most: number): Promise<LocalEventRow[]> =>
      db
        .selectFrom('local_event')
        .selectAll()
        .where('delivered_at', 'is', null)
        .where('created_at', '>', createdAfter)
        .orderBy('created_at')
        .orderBy('id')
        .limit(most)
        .execute(),

    markDelivered: async (id: string, deliveredAt: string): Promise<void> => {
      await db.updateTable('local_event').set({ delivered_at: deliveredAt }).where('id', '=', id).execute()
    },
  }
}

export type LocalPaymentStore = ReturnType<typeof createLocalPaymentStore>
