// The parts of Stripe's objects that mean something here, as of its API version 2025-03-31 and later: an invoice names its subscription in
// `parent`, a charge names no invoice, periods are those of items and lines.

import { z } from 'zod'

const id = z.string().min(1).max(255)
const amount = z.int().min(0)
const currency = z.string().regex(/^[a-z]{3}$/)
/** Seconds, of a year with four digits. */
export const moment = z
  .int()
  .min(0)
  .max(253_402_300_799)
  .transform((seconds) => new Date(seconds * 1000).toISOString())
/** An id, or the object in its place. */
const reference = z.union([id, z.object({ id }).transform((object) => object.id)])

/** What we put on everything that belongs to an order; who has other business at the same account has none of it. */
export const checkoutKey = 'incident_lab_checkout'
export const offerKey = 'incident_lab_offer'
/** On customers. */
export const accountKey = 'incident_lab_account'
const Order = z
  .object({ [checkoutKey]: id, [offerKey]: id })
  .transform((metadata) => ({ checkoutId: metadata[checkoutKey] as string, offerId: metadata[offerKey] as string }))
export type OrderOf = z.output<typeof Order>

/** Null for what is not ours, whatever it looks like. */
export const orderIn = (object: unknown): OrderOf | null => z.object({ metadata: Order }).safeParse(object).data?.metadata ?? null
export const orderInInvoice = (invoice: unknown): OrderOf | null =>
  z.object({ parent: z.object({ subscription_details: z.object({ metadata: Order }) }) }).safeParse(invoice).data?.parent
    .subscription_details.metadata ?? null

export const Session = z.object({
  id,
  mode: z.enum(['payment', 'subscription']),
  client_reference_id: id,
  payment_status: z.enum(['paid', 'unpaid', 'no_payment_required']),
  amount_total: amount,
  currency,
  customer: reference.nullable(),
  payment_intent: reference.nullable(),
})

export const Invoice = z
  .object({
    id,
    billing_reason: z.string().nullable(),
    amount_paid: amount,
    currency,
    customer: reference.nullable(),
    parent: z.object({ subscription_details: z.object({ subscription: reference }) }),
    lines: z.object({ data: z.array(z.object({ period: z.object({ end: moment }) })).min(1) }),
  })
  .transform(({ parent, lines, ...invoice }) => ({
    ...invoice,
    subscription: parent.subscription_details.subscription,
    periodEnd: lines.data.map(({ period }) => period.end).reduce((latest, end) => (end > latest ? end : latest)),
  }))

export const Subscription = z
  .object({
    id,
    status: z.string(),
    ended_at: moment.nullable(),
    items: z.object({ data: z.array(z.object({ current_period_end: moment })).min(1) }),
  })
  .transform(({ items, ...subscription }) => ({
    ...subscription,
    periodEnd: items.data.map((item) => item.current_period_end).reduce((latest, end) => (end > latest ? end : latest)),
  }))

export const Charge = z.object({
  id,
  amount,
  amount_refunded: amount,
  currency,
  created: moment,
  status: z.string(),
  disputed: z.boolean(),
  payment_intent: reference.nullable(),
  metadata: z.unknown(),
})

export const Dispute = z.object({ id, charge: reference, status: z.string() })

/** An inquiry that comes to nothing, and a dispute that Stripe prevented, cost nothing, as one that is won. */
export const isLost = (status: string): boolean => status === 'lost'
export const isClosed = (status: string): boolean => ['won', 'lost', 'warning_closed', 'prevented'].includes(status)

export const InvoicePayments = z.object({ data: z.array(z.object({ invoice: z.unknown() })) })
