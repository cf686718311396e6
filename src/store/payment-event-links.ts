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

export type LinkedEvent = Pick<Row, 'id' | 'kind'>

/** Links the events that are connected with those of the checkout, until there is none left, and returns them. */
const linkConnected = async (on: Kysely<Tables>, provider: string, checkoutId: string): Promise<LinkedEvent[]> => {
  const valuesOf = (key: Key) =>
    on
      .selectFrom('payment_event as linked')
      .select(`linked.${key}`)
      .where('linked.checkout_id', '=', checkoutId)
      .where(`linked.${key}`, 'is not', null)
  const linked: LinkedEvent[] = []
  for (;;) {
    const more = await on
      .updateTable('payment_event')
      .set({ checkout_id: checkoutId })
      .where('provider', '=', provider)
      .where('checkout_id', 'is', null)
      .where((build) => build.or([build('payment', 'in', valuesOf('payment')), build('subscription', 'in', valuesOf('subscription'))]))
      .returning(['id', 'kind'])
      .execute()
    if (more.length === 0) return linked
    linked.push(...more)
  }
}

/**
 * Stores a new event. Returns the checkout that it belongs to, with all events that are linked to it by this one; or null while it is
 * unknown. Only under the lock on payments.
 */
export const linkEvent = async (
  transaction: Kysely<Tables>,
  event: Row,
): Promise<{ readonly checkoutId: string; readonly linked: readonly LinkedEvent[] } | null> => {
  const checkoutId = await checkoutOf(transaction, event)
  await transaction
    .insertInto('payment_event')
    .values({ ...event, checkout_id: checkoutId })
    .execute()
  return checkoutId === null ? null : { checkoutId, linked: [event, ...(await linkConnected(transaction, event.provider, checkoutId))] }
}
