// What Stripe's events mean here. Whatever is not ours, or says nothing about a payment, is `ignored`.

import { z } from 'zod'
import { messageOf } from '../../errors.ts'
import { parseJson } from '../../json-body.ts'
import type { PaymentEvent } from './provider.ts'
import { readEventPart, unreadableEvent } from './provider-errors.ts'
import type { Lookups } from './stripe-lookups.ts'
import { Charge, Dispute, Invoice, isLost, moment, orderIn, orderInInvoice, Session, Subscription } from './stripe-objects.ts'

const title = 'Stripe'
/** Before it, invoices and subscriptions have other fields. Which version an endpoint sends is set where it is registered. */
const oldestVersion = '2025-03-31'

const Event = z.object({
  id: z.string().min(1).max(255),
  object: z.literal('event'),
  type: z.string().min(1).max(255),
  api_version: z.string().nullish(),
  created: moment,
  livemode: z.boolean(),
  data: z.object({ object: z.record(z.string(), z.unknown()) }),
})

interface Base {
  readonly id: string
  readonly createdAt: string
  readonly live: boolean
}

/** Null for what means nothing here. */
type Reader = (
  object: Readonly<Record<string, unknown>>,
  base: Base,
  lookups: Lookups,
) => PaymentEvent | null | Promise<PaymentEvent | null>

/** A subscription is paid when its invoice is: only that names the period. */
const sessionPaid: Reader = (object, base) => {
  const order = orderIn(object)
  if (order === null) return null
  const { mode, client_reference_id, payment_status, payment_intent, ...session } = readEventPart(title, Session, object)
  if (client_reference_id !== order.checkoutId) throw unreadableEvent(title, 'client_reference_id: is not that of the metadata')
  if (mode !== 'payment' || payment_status === 'unpaid') return null
  const { amount_total: amount, currency, customer } = session
  const paid = { amount, currency, customer, payment: payment_intent ?? session.id, subscription: null, periodEnd: null }
  return { ...base, kind: 'paid', ...order, ...paid }
}

const sessionFailed: Reader = (object, base) => {
  const order = orderIn(object)
  return order === null ? null : { ...base, kind: 'payment_failed', checkoutId: order.checkoutId }
}

/** Invoices for other reasons are made by hand, or by changes that this service never makes. */
const invoicePaid: Reader = (object, base) => {
  const order = orderInInvoice(object)
  if (order === null) return null
  const { id: payment, billing_reason, amount_paid: amount, ...invoice } = readEventPart(title, Invoice, object)
  const { currency, customer, subscription, periodEnd } = invoice
  const paid = { payment, amount, currency, customer, subscription, periodEnd }
  if (billing_reason === 'subscription_create') return { ...base, kind: 'paid', ...order, ...paid }
  return billing_reason === 'subscription_cycle' ? { ...base, kind: 'renewed', ...paid } : null
}

const invoiceFailed: Reader = (object, base) => {
  const order = orderInInvoice(object)
  if (order === null) return null
  const { billing_reason, subscription } = readEventPart(title, Invoice, object)
  if (billing_reason === 'subscription_create') return { ...base, kind: 'payment_failed', checkoutId: order.checkoutId }
  return billing_reason === 'subscription_cycle' ? { ...base, kind: 'renewal_failed', subscription } : null
}

const subscriptionEnded: Reader = (object, base) => {
  if (orderIn(object) === null) return null
  const { id: subscription, ended_at } = readEventPart(title, Subscription, object)
  return { ...base, kind: 'subscription_ended', subscription, endedAt: ended_at ?? base.createdAt }
}

const refunded: Reader = async (object, base, lookups) => {
  const charge = readEventPart(title, Charge, object)
  const order = await lookups.orderOf(charge)
  const { amount_refunded, currency } = charge
  return order === null ? null : { ...base, kind: 'refunded', payment: order.payment, refunded: amount_refunded, currency }
}

const disputed =
  (isOver: boolean): Reader =>
  async (object, base, lookups) => {
    const { id: dispute, charge, status } = readEventPart(title, Dispute, object)
    const order = await lookups.orderOfCharge(charge)
    if (order === null) return null
    const { payment } = order
    return isOver
      ? { ...base, kind: 'dispute_closed', payment, dispute, outcome: isLost(status) ? 'lost' : 'won' }
      : { ...base, kind: 'dispute_opened', payment, dispute }
  }

const readers: ReadonlyMap<string, Reader> = new Map([
  ['checkout.session.completed', sessionPaid],
  ['checkout.session.async_payment_succeeded', sessionPaid],
  ['checkout.session.async_payment_failed', sessionFailed],
  ['invoice.paid', invoicePaid],
  ['invoice.payment_failed', invoiceFailed],
  ['customer.subscription.deleted', subscriptionEnded],
  ['charge.refunded', refunded],
  ['charge.dispute.created', disputed(false)],
  ['charge.dispute.closed', disputed(true)],
])

/** The types that a webhook endpoint has to be registered for. */
export const stripeEventTypes: readonly string[] = [...readers.keys()]

const jsonIn = (body: Buffer): unknown => {
  try {
    return parseJson(body)
  } catch (error) {
    throw unreadableEvent(title, messageOf(error))
  }
}

/** Of a body whose signature is right. Throws unreadable_event and payment_provider_unavailable. */
export const readStripeEvent = async (body: Buffer, lookups: Lookups): Promise<PaymentEvent> => {
  const { id, type, api_version, created, livemode, data } = readEventPart(title, Event, jsonIn(body))
  const base = { id, createdAt: created, live: livemode }
  const read = readers.get(type)
  if (read !== undefined && !(api_version !== null && api_version !== undefined && api_version >= oldestVersion)) {
    throw unreadableEvent(title, `api_version: must be ${oldestVersion} or later; register the endpoint for the newest`)
  }
  return (await read?.(data.object, base, lookups)) ?? { ...base, kind: 'ignored', type }
}
