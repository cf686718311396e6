// What follows from a checkout and all its events: a pure function of a set, so neither the order nor the number of deliveries matters.

import type { PaymentStatus } from '../contract/checkout.ts'
import { type Payment, type PaymentProblem, paymentsOf, type Sale } from './payments-of-events.ts'
import type { PaymentEvent } from './providers/provider.ts'

export interface Settlement {
  /** Whether it was ever paid as agreed; also when the payment was refunded since. */
  readonly completed: boolean
  readonly paymentStatus: PaymentStatus
  /** Whether it needs one of a limited number. */
  readonly wantsHold: boolean
  readonly entitlement: { readonly startsAt: string; readonly endsAt: string | null } | null
  readonly credits: number
  readonly customer: string | null
  readonly subscription: string | null
  readonly subscriptionEnded: boolean
  /** Whether a renewal has failed since the last payment. */
  readonly renewalFailed: boolean
  /** Until when the subscription was paid, refunded payments included. */
  readonly paidUntil: string | null
  /** Payments that give nothing and were not refunded. */
  readonly problems: readonly PaymentProblem[]
}

const dayMs = 24 * 3_600_000
/** How long a plan lasts beyond the paid time while its renewal is under way. */
const graceMs = 3 * dayMs
/** For a payment of a subscription that does not say until when it pays. */
const monthMs = 31 * dayMs

const isoOf = (ms: number) => new Date(ms).toISOString()

const statusOf = (payments: readonly Payment[], kept: readonly Payment[]): PaymentStatus => {
  const last = payments.at(-1)
  if (last === undefined) return 'unpaid'
  if (kept.length === 0) return last.refundedInFull ? 'refunded' : 'disputed'
  return kept.some(({ dispute }) => dispute !== null) ? 'disputed' : 'paid'
}

/** Paid until when, in milliseconds. */
const paidUntil = (payments: readonly Payment[]): number => {
  const known = payments.flatMap(({ periodEnd }) => (periodEnd === null ? [] : [periodEnd]))
  return Math.max(...(known.length > 0 ? known : payments.map(({ at }) => at + monthMs)))
}

const endOf = (payments: readonly Payment[], kept: readonly Payment[], endedAt: number | null): number => {
  const end = paidUntil(kept)
  if (endedAt !== null) return Math.min(end, endedAt)
  return end === paidUntil(payments) ? end + graceMs : end
}

/** The credits of a payment. Those of a partial refund are taken back in proportion, rounded up. */
const creditsOf = ({ amount, refunded }: Payment, credits: number): number =>
  refunded === 0 ? credits : Math.floor((credits * (amount - refunded)) / amount)

const endedAtOf = (events: readonly PaymentEvent[], { live }: Sale, subscription: string | null): number | null => {
  const ends = events.flatMap((event) =>
    event.kind === 'subscription_ended' && event.subscription === subscription && event.live === live ? [Date.parse(event.endedAt)] : [],
  )
  return ends.length === 0 ? null : Math.min(...ends)
}

const hasFailedRenewal = (
  events: readonly PaymentEvent[],
  { live }: Sale,
  payments: readonly Payment[],
  subscription: string | null,
): boolean => {
  const lastPaid = Math.max(...payments.map(({ at }) => at))
  return events.some(
    (event) =>
      event.kind === 'renewal_failed' &&
      event.subscription === subscription &&
      event.live === live &&
      Date.parse(event.createdAt) > lastPaid,
  )
}

export const settle = (sale: Sale, delivered: readonly PaymentEvent[]): Settlement => {
  const events = [...new Map(delivered.map((event) => [event.id, event])).values()]
  const { payments, problems } = paymentsOf(sale, events)
  const kept = payments.filter((payment) => !payment.takenBack)
  const [first] = kept
  const subscription = payments.find((payment) => payment.subscription !== null)?.subscription ?? null
  const endedAt = endedAtOf(events, sale, subscription)
  const isPlan = sale.credits === 0
  const wantsHold = sale.hold !== 'none' && first !== undefined
  const isGiven = first !== undefined && (sale.hold === 'none' || sale.hold === 'held')
  const endMs = isGiven && sale.interval === 'month' ? endOf(payments, kept, endedAt) : null
  return {
    completed: payments.length > 0,
    paymentStatus: statusOf(payments, kept),
    wantsHold,
    entitlement: isGiven && isPlan ? { startsAt: isoOf(first.at), endsAt: endMs === null ? null : isoOf(endMs) } : null,
    credits: isGiven && !isPlan ? creditsOf(first, sale.credits) : 0,
    customer: payments.findLast(({ customer }) => customer !== null)?.customer ?? null,
    subscription,
    subscriptionEnded: endedAt !== null,
    renewalFailed: hasFailedRenewal(events, sale, payments, subscription),
    paidUntil: sale.interval === 'month' && payments.length > 0 ? isoOf(paidUntil(payments)) : null,
    problems: [
      ...problems,
      ...(sale.hold === 'lost' ? kept.map(({ payment, eventId }) => ({ payment, eventId, reason: 'none_left' as const })) : []),
    ],
  }
}
