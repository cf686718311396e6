// What the payment provider has and the store has not, and the other way round.

import type { CheckoutRow } from '../store/checkouts.ts'
import type { Difference } from './difference.ts'
import { allPaymentsOf, type Payment } from './payments-of-events.ts'
import type { PaymentEvent, PaymentProvider, ProviderPayment, ProviderSubscription } from './providers/provider.ts'
import type { Settlement } from './settle.ts'

/** By how much the clock of the provider may be behind. */
const skewMs = 3_600_000

/** A checkout of this provider and its mode, with what follows from its events. */
export interface Known {
  readonly checkout: CheckoutRow
  readonly settled: Settlement
  readonly events: readonly PaymentEvent[]
}

const comparePayment = (theirs: ProviderPayment, checkout: CheckoutRow | undefined, ours: Payment | undefined): Difference[] => {
  const about = { checkoutId: checkout?.id ?? theirs.checkoutId, reference: theirs.payment }
  const tell = (kind: string, text: string): Difference[] => [{ ...about, kind, text: `payment ${theirs.payment} ${text}` }]
  if (checkout === undefined) {
    return theirs.checkoutId === null ? [] : tell('unknown_checkout', `is for the checkout ${theirs.checkoutId}, which is not here`)
  }
  if (ours === undefined)
    return tell('event_missing', 'is known to the provider, but no event has told of it: let the provider send it again')
  return [
    ...(theirs.amount === ours.amount && theirs.currency === ours.currency
      ? []
      : tell('amount_differs', `is ${theirs.amount} ${theirs.currency} at the provider, ${ours.amount} ${ours.currency} here`)),
    ...(theirs.refunded === ours.refunded
      ? []
      : tell('refund_differs', `is refunded by ${theirs.refunded} at the provider, by ${ours.refunded} here`)),
    ...(theirs.disputed === (ours.dispute !== null)
      ? []
      : tell('dispute_differs', `is ${theirs.disputed ? '' : 'not '}disputed at the provider, and the other way round here`)),
  ]
}

const compareSubscription = (theirs: ProviderSubscription, { checkout, settled }: Known): Difference[] => {
  const { subscription } = theirs
  const about = { checkoutId: checkout.id, reference: subscription }
  const tell = (kind: string, text: string): Difference[] => [{ ...about, kind, text: `subscription ${subscription} ${text}` }]
  if (theirs.status === 'ended') {
    return settled.subscriptionEnded ? [] : tell('subscription_ended', 'has ended at the provider, but no event has told of it')
  }
  if (settled.subscriptionEnded) return tell('subscription_runs', 'has ended here, but runs at the provider: end it there')
  if (checkout.account_id === null || checkout.hold === 'lost') return tell('subscription_runs', 'belongs to nobody, but runs: end it')
  const { paidUntil } = settled
  const isBehind = theirs.status === 'active' && paidUntil !== null && Date.parse(paidUntil) < Date.parse(theirs.periodEnd)
  return isBehind ? tell('renewal_missing', `is paid until ${theirs.periodEnd} at the provider, here until ${paidUntil}`) : []
}

export const providerDifferences = async (provider: PaymentProvider, all: readonly Known[]): Promise<Difference[]> => {
  const byId = new Map(all.map((known) => [known.checkout.id, known]))
  const bySubscription = new Map(all.flatMap((known) => (known.settled.subscription === null ? [] : [[known.settled.subscription, known]])))
  const told = new Map(
    all.flatMap(({ checkout, events }) =>
      allPaymentsOf(events.filter(({ live }) => live === provider.live)).map((one) => [one.payment, { checkout, one }]),
    ),
  )
  const differences: Difference[] = []
  const oldest = all.map(({ checkout }) => checkout.created_at).sort()[0]
  if (oldest === undefined) {
    for await (const _ of provider.subscriptions()) break // shows that it answers
    return []
  }
  const since = new Date(Date.parse(oldest) - skewMs).toISOString()

  const seen = new Set<string>()
  for await (const theirs of provider.payments(since)) {
    seen.add(theirs.payment)
    const ours = told.get(theirs.payment)
    const bySubscribed = theirs.subscription === null ? undefined : bySubscription.get(theirs.subscription)
    const checkout =
      ours?.checkout ?? (theirs.checkoutId === null ? undefined : byId.get(theirs.checkoutId)?.checkout) ?? bySubscribed?.checkout
    differences.push(...comparePayment(theirs, checkout, ours?.one))
  }
  for (const [payment, { checkout }] of told) {
    if (seen.has(payment)) continue
    const text = `payment ${payment} was told of by an event, but the provider has no such payment`
    differences.push({ kind: 'payment_missing', checkoutId: checkout.id, reference: payment, text })
  }
  for await (const theirs of provider.subscriptions()) {
    const known = bySubscription.get(theirs.subscription) ?? (theirs.checkoutId === null ? undefined : byId.get(theirs.checkoutId))
    if (known !== undefined) differences.push(...compareSubscription(theirs, known))
  }
  return differences
}
