// Which checkout an event belongs to. Events name a checkout, a subscription or a payment, and come in any order: what cannot be linked
// yet is linked when the event comes that connects it.

import type { Kysely, Selectable } from 'kysely'
import type { PaymentEventTable } from './commerce-tables.ts'
import type { Tables } from './tables.ts'

type Row = Selectable<PaymentEventTable>
type Key = 'payment' | 'subscription'

/** The checkout of other events with the same value. */
const checkoutBy = async (on: Kysely<Tables>, provider: string, key: Key, value: string | null): Promise<string | null> => {
  if (value === null) return null
  const row = await on
    .selectFrom('payment_event')
    .select('checkout_id')
    .where('provider', '=', provider)
    .where(key, '=', value)
    .where('checkout_id', 'is not', null)
    .orderBy('id')
    .executeTakeFirst()
  return row?.checkout_id ?? null
}

const checkoutOf = async (on: Kysely<Tables>, { provider, checkout_id, payment, subscription }: Row): Promise<string | null> => {
  if (checkout_id !== null) {
    const known = await on
      .selectFrom('checkout')
      .select('id')
      .where('id', '=', checkout_id)
      .where('provider', '=', provider)
      .executeTakeFirst()
    if (known !== undefined) return known.id
  }
  return (await checkoutBy(on, provider, 'subscription', subscription)) ?? (await checkoutBy(on, provider, 'payment', payment))
}

/** Links the events that are connected with those of the checkout, until there is none left. */
const linkConnected = async (on: Kysely<Tables>, provider: string, checkoutId: string): Promise<void> => {
  const valuesOf = (key: Key) =>
    on
      .selectFrom('payment_event as linked')
      .select(`linked.${key}`)
      .where('linked.checkout_id', '=', checkoutId)
      .where(`linked.${key}`, 'is not', null)
  for (;;) {
    const linked = await on
      .updateTable('payment_event')
      .set({ checkout_id: checkoutId })
      .where('provider', '=', provider)
      .where('checkout_id', 'is', null)
      .where((build) => build.or([build('payment', 'in', valuesOf('payment')), build('subscription', 'in', valuesOf('subscription'))]))
      .executeTakeFirst()
    if (linked.numUpdatedRows === 0n) return
  }
}

/** Stores a new event. Returns the checkout that it belongs to, or null while that is unknown. Only under the lock on payments. */
export const linkEvent = async (transaction: Kysely<Tables>, event: Row): Promise<string | null> => {
  const checkoutId = await checkoutOf(transaction, event)
  await transaction
    .insertInto('payment_event')
    .values({ ...event, checkout_id: checkoutId })
    .execute()
  if (checkoutId !== null) await linkConnected(transaction, event.provider, checkoutId)
  return checkoutId
}
