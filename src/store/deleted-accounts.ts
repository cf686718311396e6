// What stays of the purchases of an account that is deleted: amounts, times and the provider's names of payments, which the books need,
// and nothing that tells who it was. Open checkouts are cancelled; pages and subscriptions at the provider are ended afterwards.

import type { Kysely } from 'kysely'
import { addHistory } from './checkout-history.ts'
import type { Tables } from './tables.ts'

/** Within the transaction that deletes the account, which is locked. */
export const forgetPurchases = async (transaction: Kysely<Tables>, accountId: string, now: string): Promise<void> => {
  const checkouts = await transaction
    .updateTable('checkout')
    .set({ account_id: null, account_deleted_at: now, customer: null, success_url: null, cancel_url: null, page_url: null })
    .where('account_id', '=', accountId)
    .returningAll()
    .execute()
  for (const row of checkouts) {
    const change = {
      ...(row.status === 'open' ? { status: 'cancelled' as const } : {}),
      ...(row.status === 'open' && row.hold === 'held' ? { hold: 'released' as const } : {}),
      // Needed only to find a page again that was opened and whose name was lost in a crash.
      ...(row.page_reference === null ? {} : { page_order: null }),
    }
    await transaction
      .updateTable('checkout')
      .set({ account_deleted_at: now, ...change })
      .where('id', '=', row.id)
      .execute()
    await transaction.updateTable('payment_event').set({ customer: null }).where('checkout_id', '=', row.id).execute()
    await addHistory(transaction, { ...row, ...change }, { event: 'account_deleted', at: now })
  }
  await transaction.deleteFrom('customer').where('account_id', '=', accountId).execute()
  for (const table of ['entitlement', 'credit_entry'] as const) {
    await transaction.updateTable(table).set({ account_id: null }).where('account_id', '=', accountId).execute()
  }
}
