// Events as they are stored: one row each, with what links them to others in columns of their own, and the rest as JSON.

import { checkValue, parseCheckedJson } from '../checked-json.ts'
import type { PaymentEventRow } from '../store/settlements.ts'
import { PaymentEventJson } from './providers/payment-event-json.ts'
import type { PaymentEvent } from './providers/provider.ts'

/** An event that is stored. */
export type KeptEvent = Exclude<PaymentEvent, { kind: 'ignored' }>

/** Throws for an event that could not be read again. */
export const rowOf = (provider: string, event: KeptEvent, received_at: string): PaymentEventRow => ({
  provider,
  id: event.id,
  kind: event.kind,
  checkout_id: 'checkoutId' in event ? event.checkoutId : null,
  payment: 'payment' in event ? event.payment : null,
  subscription: 'subscription' in event ? event.subscription : null,
  customer: 'customer' in event ? event.customer : null,
  data: JSON.stringify(checkValue(PaymentEventJson, 'customer' in event ? { ...event, customer: null } : event)),
  received_at,
})

export const eventOf = ({ data, customer }: PaymentEventRow): PaymentEvent => {
  const event = parseCheckedJson(PaymentEventJson, data)
  return 'customer' in event ? { ...event, customer } : event
}
