// The history of checkouts: one row for each thing that happened, with the state afterwards.

import type { Kysely, Selectable } from 'kysely'
import type { CheckoutHistoryTable, CheckoutTable } from './commerce-tables.ts'
import type { Tables } from './tables.ts'

export type CheckoutHistoryRow = Selectable<CheckoutHistoryTable>

type State = Pick<Selectable<CheckoutTable>, 'id' | 'status' | 'payment_status'>

/** Within the transaction that changed the checkout, while it is locked. */
export const addHistory = async (
  transaction: Kysely<Tables>,
  { id, status, payment_status }: State,
  what: Pick<CheckoutHistoryRow, 'event' | 'at'> & { readonly event_id?: string },
): Promise<void> => {
  const { last } = await transaction
    .selectFrom('checkout_history')
    .select((build) => build.fn.max('position').as('last'))
    .where('checkout_id', '=', id)
    .executeTakeFirstOrThrow()
  const row = { checkout_id: id, position: (last ?? 0) + 1, event_id: null, ...what, status, payment_status }
  await transaction.insertInto('checkout_history').values(row).execute()
}

export const listHistory = (on: Kysely<Tables>, checkoutId: string): Promise<CheckoutHistoryRow[]> =>
  on.selectFrom('checkout_history').selectAll().where('checkout_id', '=', checkoutId).orderBy('position').execute()
