// What Stripe has of our payments and subscriptions now, page by page. What else the account sells is left out.

import type Stripe from 'stripe'
import type { ProviderPayment, ProviderSubscription } from './provider.ts'
import { readProviderAnswer } from './provider-errors.ts'
import type { Ask } from './stripe-client.ts'
import type { Lookups } from './stripe-lookups.ts'
import { Charge, Dispute, isClosed, isLost, orderIn, Subscription } from './stripe-objects.ts'

const pageSize = 100

/** One that is new, unpaid or paused may come to be paid; only what has ended stays so. */
const statusOf = (status: string): ProviderSubscription['status'] => {
  if (status === 'active' || status === 'trialing') return 'active'
  return status === 'canceled' || status === 'incomplete_expired' ? 'ended' : 'past_due'
}

interface Page<Item> {
  readonly data: readonly Item[]
  readonly has_more: boolean
}

export const createStripeListing = (stripe: Stripe, ask: Ask, lookups: Lookups) => {
  /** The library could turn the pages too, but without a limit to the time that one may take. */
  async function* all<Item extends { readonly id: string }>(pageAfter: (last: { starting_after?: string }) => Promise<Page<Item>>) {
    let last: { starting_after?: string } = {}
    for (;;) {
      const { data, has_more } = await ask(() => pageAfter(last))
      yield* data
      const end = data.at(-1)
      if (!has_more || end === undefined) return
      last = { starting_after: end.id }
    }
  }

  /** Whether the money is, or may be, taken back. */
  const isDisputed = async (charge: string): Promise<boolean> => {
    const { data } = await ask(() => stripe.disputes.list({ charge, limit: pageSize }))
    const statuses = data.map((dispute) => readProviderAnswer('Stripe', Dispute, dispute).status)
    return statuses.some((status) => isLost(status) || !isClosed(status))
  }

  return {
    payments: async function* (since: string): AsyncGenerator<ProviderPayment> {
      const created = { gte: Math.floor(Date.parse(since) / 1000) }
      for await (const object of all((last) => stripe.charges.list({ created, limit: pageSize, ...last }))) {
        if (object.status !== 'succeeded') continue
        const charge = readProviderAnswer('Stripe', Charge, object)
        const order = await lookups.orderOf(charge)
        if (order === null) continue
        const { id, amount, currency, amount_refunded: refunded, created: paidAt } = charge
        yield { ...order, amount, currency, refunded, disputed: charge.disputed && (await isDisputed(id)), paidAt }
      }
    },

    subscriptions: async function* (): AsyncGenerator<ProviderSubscription> {
      for await (const object of all((last) => stripe.subscriptions.list({ status: 'all', limit: pageSize, ...last }))) {
        const order = orderIn(object)
        if (order === null) continue
        const { id: subscription, status, periodEnd } = readProviderAnswer('Stripe', Subscription, object)
        yield { subscription, checkoutId: order.checkoutId, status: statusOf(status), periodEnd }
      }
    },
  }
}
