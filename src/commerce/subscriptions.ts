// The subscriptions of an account that go on to be charged, as their owner should know of them: paid until when, and whether the last
// renewal failed or the last payment was refunded.

import type { CheckoutStore } from '../store/checkouts.ts'
import type { SettlementStore } from '../store/settlements.ts'
import { saleOf } from './payment-events.ts'
import { settle } from './settle.ts'
import { eventOf } from './stored-events.ts'

export interface Subscription {
  readonly checkoutId: string
  readonly planId: string
  /** As it was called when it was bought. */
  readonly name: string
  /** `past_due`: the last renewal failed. `refunded`: it gives nothing, but is not ended. */
  readonly state: 'active' | 'past_due' | 'refunded'
  readonly paidUntil: string
  /** When the plan ends if nothing more is paid; null when it gives nothing. */
  readonly endsAt: string | null
}

export interface SubscriptionsDeps {
  readonly checkouts: Pick<CheckoutStore, 'listSubscribed'>
  readonly settlements: Pick<SettlementStore, 'books'>
}

export const createSubscriptions = ({ checkouts, settlements }: SubscriptionsDeps) => {
  const read = async (id: string): Promise<Subscription[]> => {
    const books = await settlements.books(id)
    if (books === null) return []
    const { checkout, events } = books
    const { subscriptionEnded, paidUntil, entitlement, renewalFailed } = settle(saleOf(checkout), events.map(eventOf))
    if (subscriptionEnded || paidUntil === null || checkout.subscription_stopped_at !== null) return []
    const state = entitlement === null ? 'refunded' : renewalFailed ? 'past_due' : 'active'
    return [{ checkoutId: id, planId: checkout.offer_id, name: checkout.name, state, paidUntil, endsAt: entitlement?.endsAt ?? null }]
  }

  return {
    /** The oldest first. */
    of: async (accountId: string): Promise<Subscription[]> =>
      (await Promise.all((await checkouts.listSubscribed(accountId)).map(({ id }) => read(id)))).flat(),
  }
}

export type Subscriptions = ReturnType<typeof createSubscriptions>
