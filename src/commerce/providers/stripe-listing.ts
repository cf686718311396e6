// What Stripe has of our payments and subscriptions now, page by page. What else the account sells is left out.

import type Stripe from 'stripe'
import type { ProviderPayment, ProviderSubscription } from './provider.ts'
import { readProviderAnswer } from './provider-errors.ts'
import { type Ask, toProviderError } from './stripe-client.ts'
import type { Lookups } from './stripe-lookups.ts'
import { Charge, Dispute, isClosed, isLost, orderIn, Subscription } from './stripe-objects.ts'

const pageSize = 100

/** One that is new, unpaid or paused may come to be paid; only what has ended stays so. */
const statusOf = (status: string): ProviderSubscription['status'] => {
  if (status === 'active' || status === 'trialing') return 'active'
  return status === 'canceled' || status === 'incomplete_expired' ? 'ended' : 'past_due'
}

async function* translated<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items
  } catch (error) {
    throw toProviderError(error)
  }
}

export const createStripeListing = (stripe: Stripe, ask: Ask, lookups: Lookups) => {
  /** Whether the money is, or may be, taken back. */
  const isDisputed = async (charge: string): Promise<boolean> => {
    const { data } = await ask(() => stripe.disputes.list({ charge, limit: pageSize }))
    const statuses = data.map((dispute) => readProviderAnswer('Stripe', Dispute, dispute).status)
    return statuses.some((status) => isLost(status) || !isClosed(status))
  }

  return {
    payments: async function* (since: string): AsyncGenerator<ProviderPayment> {
      const created = { gte: Math.floor(Date.parse(since) / 1000) }
      for await (const object of translated(stripe.charges.list({ created, limit: pageSize }))) {
        if (object.status !== 'succeeded') continue
        const charge = readProviderAnswer('Stripe', Charge, object)
        const order = await lookups.orderOf(charge)
        if (order === null) continue
        const { id, amount, currency, amount_refunded: refunded, created: paidAt } = charge
        yield { ...order, amount, currency, refunded, disputed: charge.disputed && (await isDisputed(id)), paidAt }
      }
    },

    subscriptions: async function* (): AsyncGenerator<ProviderSubscription> {
      for await (const object of translated(stripe.subscriptions.list({ status: 'all', limit: pageSize }))) {
        const order = orderIn(object)
        if (order === null) continue
        const { id: subscription, status, periodEnd } = readProviderAnswer('Stripe', Subscription, object)
        yield { subscription, checkoutId: order.checkoutId, status: statusOf(status), periodEnd }
      }
    },
  }
}
