// Events as they are stored: one row each, with what links them to others in columns of their own, and the rest as JSON.

import { z } from 'zod'
import { readAnswer } from '../helper-output.ts'
import type { PaymentEventRow } from '../store/settlements.ts'
import type { PaymentEvent } from './providers/provider.ts'

/** An event that is stored. */
export type KeptEvent = Exclude<PaymentEvent, { kind: 'ignored' }>

const common = { id: z.string(), createdAt: z.string(), live: z.boolean() }
const paid = {
  payment: z.string(),
  amount: z.number(),
  currency: z.string(),
  customer: z.string().nullable(),
  periodEnd: z.string().nullable(),
}
const disputed = { payment: z.string(), dispute: z.string() }

const StoredEvent = z.discriminatedUnion('kind', [
  z.object({
    ...common,
    kind: z.literal('paid'),
    ...paid,
    subscription: z.string().nullable(),
    checkoutId: z.string(),
    offerId: z.string(),
  }),
  z.object({ ...common, kind: z.literal('renewed'), ...paid, subscription: z.string() }),
  z.object({ ...common, kind: z.literal('payment_failed'), checkoutId: z.string() }),
  z.object({ ...common, kind: z.literal('renewal_failed'), subscription: z.string() }),
  z.object({ ...common, kind: z.literal('subscription_ended'), subscription: z.string(), endedAt: z.string() }),
  z.object({ ...common, kind: z.literal('refunded'), payment: z.string(), refunded: z.number(), currency: z.string() }),
  z.object({ ...common, kind: z.literal('dispute_opened'), ...disputed }),
  z.object({ ...common, kind: z.literal('dispute_closed'), ...disputed, outcome: z.enum(['won', 'lost']) }),
]) satisfies z.ZodType<KeptEvent>

export const rowOf = (provider: string, event: KeptEvent, received_at: string): PaymentEventRow => ({
  provider,
  id: event.id,
  kind: event.kind,
  checkout_id: 'checkoutId' in event ? event.checkoutId : null,
  payment: 'payment' in event ? event.payment : null,
  subscription: 'subscription' in event ? event.subscription : null,
  customer: 'customer' in event ? event.customer : null,
  data: JSON.stringify('customer' in event ? { ...event, customer: null } : event),
  received_at,
})

export const eventOf = ({ data, customer }: PaymentEventRow): KeptEvent => {
  const event = readAnswer(StoredEvent, data)
  return 'customer' in event ? { ...event, customer } : event
}
