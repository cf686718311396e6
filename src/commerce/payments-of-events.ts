// The payments of a checkout, as its events tell of them: which are as agreed, what was refunded, what is disputed.

import type { PaymentEvent } from './providers/provider.ts'

/** What is sold by a checkout. */
export interface Sale {
  readonly id: string
  /** Whether it is to be paid with real money. */
  readonly live: boolean
  readonly offerId: string
  readonly amount: number
  readonly currency: string
  readonly interval: 'month' | 'once'
  /** 0 for a plan. */
  readonly credits: number
  /** Its part of an offer that is limited in number. */
  readonly hold: 'none' | 'held' | 'released' | 'lost'
}

type Paid = Extract<PaymentEvent, { kind: 'paid' | 'renewed' }>

export interface Payment {
  readonly payment: string
  readonly eventId: string
  /** In milliseconds, as all times here. */
  readonly at: number
  readonly amount: number
  readonly currency: string
  readonly periodEnd: number | null
  readonly subscription: string | null
  readonly customer: string | null
  /** At most the amount. */
  readonly refunded: number
  readonly refundedInFull: boolean
  /** A dispute that was won is none. */
  readonly dispute: 'open' | 'lost' | null
  /** The money is no longer ours: refunded in full, or lost in a dispute. */
  readonly takenBack: boolean
}

export type Reason =
  | 'wrong_amount'
  | 'wrong_currency'
  | 'wrong_offer'
  | 'wrong_mode'
  /** A second payment of the same checkout. */
  | 'paid_again'
  /** A renewal of a subscription whose first payment is not as agreed. */
  | 'not_begun'
  /** All of a limited number were held by others. */
  | 'none_left'

export interface PaymentProblem {
  readonly payment: string
  readonly eventId: string
  readonly reason: Reason
}

const compare = (one: string | number, other: string | number) => (one < other ? -1 : one > other ? 1 : 0)

/** Oldest first; those of one moment by their ids, so that the order is the same whatever the order of delivery. */
const inOrder = <Event extends PaymentEvent>(events: readonly Event[]): Event[] =>
  events.toSorted((one, other) => compare(Date.parse(one.createdAt), Date.parse(other.createdAt)) || compare(one.id, other.id))

const reasonAgainst = (sale: Sale, event: Paid): Reason | null => {
  if (event.live !== sale.live) return 'wrong_mode'
  if (event.kind === 'paid' && event.offerId !== sale.offerId) return 'wrong_offer'
  if (event.currency !== sale.currency) return 'wrong_currency'
  return event.amount === sale.amount ? null : 'wrong_amount'
}

/** Providers tell the sum of all refunds so far, so the largest is the last. */
const refundedOf = (events: readonly PaymentEvent[], { payment, amount, currency, live }: Paid): number => {
  const sums = events.flatMap((event) =>
    event.kind === 'refunded' && event.payment === payment && event.currency === currency && event.live === live ? [event.refunded] : [],
  )
  return Math.min(amount, Math.max(0, ...sums))
}

/** A dispute that is told as won and as lost is what the later event says; lost, if both are of one moment. */
const disputeOf = (events: readonly PaymentEvent[], { payment, live }: Paid): 'open' | 'lost' | null => {
  const outcomes = new Map<string, { outcome: 'open' | 'won' | 'lost'; at: number }>()
  for (const event of inOrder(events)) {
    if ((event.kind !== 'dispute_opened' && event.kind !== 'dispute_closed') || event.payment !== payment || event.live !== live) continue
    const known = outcomes.get(event.dispute)
    const at = Date.parse(event.createdAt)
    const outcome = event.kind === 'dispute_opened' ? 'open' : event.outcome
    if (outcome === 'open' && known !== undefined) continue
    if (known?.outcome === 'lost' && known.at === at) continue
    outcomes.set(event.dispute, { outcome, at })
  }
  const all = [...outcomes.values()].map(({ outcome }) => outcome)
  return all.includes('lost') ? 'lost' : all.includes('open') ? 'open' : null
}

const paymentOf = (events: readonly PaymentEvent[], told: readonly [Paid, ...Paid[]]): Payment => {
  const [first] = told
  const refunded = refundedOf(events, first)
  const refundedInFull = refunded > 0 && refunded === first.amount
  const dispute = disputeOf(events, first)
  const periods = told.flatMap(({ periodEnd }) => (periodEnd === null ? [] : [Date.parse(periodEnd)]))
  return {
    payment: first.payment,
    eventId: first.id,
    at: Date.parse(first.createdAt),
    amount: first.amount,
    currency: first.currency,
    periodEnd: periods.length === 0 ? null : Math.max(...periods),
    subscription: told.find(({ subscription }) => subscription !== null)?.subscription ?? null,
    customer: told.find(({ customer }) => customer !== null)?.customer ?? null,
    refunded,
    refundedInFull,
    dispute,
    takenBack: refundedInFull || dispute === 'lost',
  }
}

const paidEvents = (events: readonly PaymentEvent[]): Paid[] =>
  inOrder(events.filter((event): event is Paid => event.kind === 'paid' || event.kind === 'renewed'))

/** All payments that events tell of, as agreed or not. */
export const allPaymentsOf = (events: readonly PaymentEvent[]): Payment[] =>
  byPayment(paidEvents(events)).map((group) => paymentOf(events, group))

const byPayment = (events: readonly Paid[]) => [...Map.groupBy(events, ({ payment }) => payment).values()] as [Paid, ...Paid[]][]

/** The payments that are as agreed, oldest first, and those that are not and still have money in them. */
export const paymentsOf = (
  sale: Sale,
  events: readonly PaymentEvent[],
): { readonly payments: readonly Payment[]; readonly problems: readonly PaymentProblem[] } => {
  const told = paidEvents(events)
  const agreed = told.filter((event) => reasonAgainst(sale, event) === null)
  const begun = agreed.filter(({ kind }) => kind === 'paid')

  // What is paid once counts once: by the first payment that was not taken back, else by the first.
  const candidates = byPayment(begun).map((group) => paymentOf(events, group))
  const chosen = candidates.find(({ takenBack }) => !takenBack) ?? candidates[0]
  const subscription = chosen?.subscription ?? null
  const belongs = (event: Paid) =>
    chosen !== undefined && (event.payment === chosen.payment || (subscription !== null && event.subscription === subscription))

  const reasonOf = (event: Paid): Reason | null => {
    const against = reasonAgainst(sale, event)
    if (against !== null || belongs(event)) return against
    return event.kind === 'paid' ? 'paid_again' : 'not_begun'
  }
  const groups = byPayment(told)
  const isGood = (group: readonly Paid[]) => group.some((event) => reasonOf(event) === null)
  const payments = groups
    .filter(isGood)
    .map((group) => paymentOf(events, group.filter((event) => reasonOf(event) === null) as [Paid, ...Paid[]]))
  const problems = groups
    .filter((group) => !isGood(group) && !paymentOf(events, group).takenBack)
    .map(([event]) => ({ payment: event.payment, eventId: event.id, reason: reasonOf(event) as Reason }))
  return { payments, problems }
}
