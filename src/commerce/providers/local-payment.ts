// A payment of the local provider, and what can happen to it: each step makes another payment of it, and the event that reports it.

import { z } from 'zod'
import { LabError } from '../../errors.ts'
import { createId } from '../../ids.ts'
import type { Order, PaymentEvent } from './provider.ts'

const Charge = z.strictObject({
  payment: z.string(),
  amount: z.int(),
  refunded: z.int(),
  dispute: z.strictObject({ id: z.string(), status: z.enum(['open', 'won', 'lost']) }).nullable(),
  paidAt: z.string(),
  /** Of a subscription. */
  periodEnd: z.string().nullable(),
})

export const LocalPayment = z.strictObject({
  reference: z.string(),
  checkoutId: z.string(),
  offerId: z.string(),
  name: z.string(),
  amount: z.int(),
  currency: z.string(),
  interval: z.enum(['month', 'once']),
  returnUrl: z.string(),
  cancelUrl: z.string(),
  customer: z.string(),
  createdAt: z.string(),
  /** Whether its page can be paid; a declined one still can. */
  status: z.enum(['open', 'paid', 'closed']),
  subscription: z.strictObject({ id: z.string(), status: z.enum(['active', 'past_due', 'ended']), periodEnd: z.string() }).nullable(),
  /** The first, and the renewals after it. */
  charges: z.array(Charge),
})
export type LocalPayment = z.infer<typeof LocalPayment>
type Charge = z.infer<typeof Charge>

export interface Step {
  readonly payment: LocalPayment
  /** Null when nothing has happened. */
  readonly event: PaymentEvent | null
}
/** What a step does to a payment at this moment. Throws invalid_request when it cannot be taken. */
export type Take = (payment: LocalPayment, now: Date) => Step

/** Each thing that the provider names says what it is. */
const name = (prefix: string): string => `${prefix}_${createId()}`
const base = (now: Date) => ({ id: name('event'), createdAt: now.toISOString(), live: false })
const refuse = (message: string) => new LabError('invalid_request', message)

/** The same day of the next month, or its last. */
export const oneMonthAfter = (moment: Date): Date => {
  const next = new Date(moment)
  next.setUTCMonth(next.getUTCMonth() + 1)
  if (next.getUTCDate() !== moment.getUTCDate()) next.setUTCDate(0)
  return next
}

export const newCustomer = (): string => name('customer')

export const paymentFor = (order: Order, now: Date): LocalPayment => {
  const { checkoutId, offerId, name: title, amount, currency, interval, returnUrl, cancelUrl } = order
  return {
    ...{ reference: name('local'), checkoutId, offerId, name: title, amount, currency, interval, returnUrl, cancelUrl },
    ...{ customer: order.customer, createdAt: now.toISOString(), status: 'open', subscription: null, charges: [] },
  }
}

const chargeFor = ({ amount }: LocalPayment, now: Date, periodEnd: string | null): Charge => ({
  ...{ payment: name('payment'), amount, refunded: 0, dispute: null, paidAt: now.toISOString(), periodEnd },
})

const requireOpen = ({ status }: LocalPayment): void => {
  if (status !== 'open') throw refuse(status === 'paid' ? 'this is paid already' : 'this payment page is closed')
}

export const pay: Take = (payment, now) => {
  requireOpen(payment)
  const periodEnd = payment.interval === 'month' ? oneMonthAfter(now).toISOString() : null
  const subscription = periodEnd === null ? null : { id: name('subscription'), status: 'active' as const, periodEnd }
  const charge = chargeFor(payment, now, periodEnd)
  const { checkoutId, offerId, amount, currency, customer } = payment
  const paid = {
    checkoutId,
    offerId,
    amount,
    currency,
    customer,
    payment: charge.payment,
    subscription: subscription?.id ?? null,
    periodEnd,
  }
  return { payment: { ...payment, status: 'paid', subscription, charges: [charge] }, event: { ...base(now), kind: 'paid', ...paid } }
}

export const decline: Take = (payment, now) => {
  requireOpen(payment)
  return { payment, event: { ...base(now), kind: 'payment_failed', checkoutId: payment.checkoutId } }
}

/** The page cannot be paid any more; nobody is told, as nothing was paid. */
export const close: Take = (payment) => ({ payment: payment.status === 'open' ? { ...payment, status: 'closed' } : payment, event: null })

const runningSubscription = ({ subscription }: LocalPayment) => {
  if (subscription === null || subscription.status === 'ended') throw refuse('this has no subscription that could be renewed')
  return subscription
}

export const renew: Take = (payment, now) => {
  const running = runningSubscription(payment)
  const periodEnd = oneMonthAfter(new Date(running.periodEnd)).toISOString()
  const charge = chargeFor(payment, now, periodEnd)
  const { amount, currency, customer } = payment
  const subscription = { ...running, status: 'active' as const, periodEnd }
  const paid = { amount, currency, customer, payment: charge.payment, subscription: running.id, periodEnd }
  return { payment: { ...payment, subscription, charges: [...payment.charges, charge] }, event: { ...base(now), kind: 'renewed', ...paid } }
}

export const failRenewal: Take = (payment, now) => {
  const running = runningSubscription(payment)
  const subscription = { ...running, status: 'past_due' as const }
  return { payment: { ...payment, subscription }, event: { ...base(now), kind: 'renewal_failed', subscription: running.id } }
}

/** Ended once; afterwards nothing happens. */
export const endSubscription: Take = (payment, now) => {
  const { subscription } = payment
  if (subscription === null) throw refuse('this has no subscription')
  if (subscription.status === 'ended') return { payment, event: null }
  const ended = { ...subscription, status: 'ended' as const }
  const endedAt = now.toISOString()
  return {
    payment: { ...payment, subscription: ended },
    event: { ...base(now), kind: 'subscription_ended', subscription: ended.id, endedAt },
  }
}

/** Of this name, or the last one. */
const chargeOf = ({ charges }: LocalPayment, wanted: string | undefined): Charge => {
  const found = wanted === undefined ? charges.at(-1) : charges.find(({ payment }) => payment === wanted)
  if (found === undefined) throw refuse('nothing was paid that this could be done to')
  return found
}

const withCharge = (payment: LocalPayment, changed: Charge): LocalPayment => ({
  ...payment,
  charges: payment.charges.map((charge) => (charge.payment === changed.payment ? changed : charge)),
})

/** A part of what was paid, or all that is left of it. */
export const refund =
  (wanted?: string, part?: number): Take =>
  (payment, now) => {
    const charge = chargeOf(payment, wanted)
    const amount = part ?? charge.amount - charge.refunded
    if (!(Number.isSafeInteger(amount) && amount > 0 && charge.refunded + amount <= charge.amount))
      throw refuse('there is not so much left to refund')
    const refunded = charge.refunded + amount
    const event = { ...base(now), kind: 'refunded' as const, payment: charge.payment, refunded, currency: payment.currency }
    return { payment: withCharge(payment, { ...charge, refunded }), event }
  }

export const openDispute =
  (wanted?: string): Take =>
  (payment, now) => {
    const charge = chargeOf(payment, wanted)
    if (charge.dispute !== null) throw refuse('this is disputed already')
    const dispute = { id: name('dispute'), status: 'open' as const }
    const event = { ...base(now), kind: 'dispute_opened' as const, payment: charge.payment, dispute: dispute.id }
    return { payment: withCharge(payment, { ...charge, dispute }), event }
  }

export const closeDispute =
  (outcome: 'won' | 'lost', wanted?: string): Take =>
  (payment, now) => {
    const charge = chargeOf(payment, wanted)
    if (charge.dispute?.status !== 'open') throw refuse('this is not disputed')
    const dispute = { ...charge.dispute, status: outcome }
    const event = { ...base(now), kind: 'dispute_closed' as const, payment: charge.payment, dispute: dispute.id, outcome }
    return { payment: withCharge(payment, { ...charge, dispute }), event }
  }
