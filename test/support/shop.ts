// A shop with two customers, its store and a payment provider, as suites of commerce set it up for each case.

import type { Account } from '../../src/accounts/caller.ts'
import { isLabError } from '../../src/errors.ts'
import type { Store } from '../../src/store/store.ts'
import { createShop, createTestClock, deliver, member, pages, type Shop } from './commerce.ts'
import { createTestProvider, type Delivery } from './payment-provider.ts'
import { account } from './store.ts'

export const pro = { plan_id: 'pro_monthly' }
export const pass = { plan_id: 'founding_pass' }
export const pack = { pack_id: 'credits_10' }

/** The code of the error that this rejects with. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (isLabError(error) ? error.code : `${error}`),
  )

export const openShop = async (store: Store) => {
  const clock = createTestClock()
  const local = createTestProvider(clock.now)
  const { provider } = local
  const shop = createShop(store, { provider, clock })
  const [ada, eve] = await Promise.all(['ada', 'eve'].map(async (name) => member((await account(store, name)).id)))
  const accept = (delivery: Delivery | null, by: Shop = shop) => deliver(by, local, delivery as Delivery)
  /** A checkout with its page open at the provider. */
  const start = async (request: Parameters<typeof shop.checkouts.create>[1], who: Account = ada as Account) => {
    const { id } = await shop.checkouts.create(who, request)
    await shop.checkouts.payment(who, id, pages)
    return id
  }
  /** The same, and its payment confirmed. */
  const buy = async (request: Parameters<typeof shop.checkouts.create>[1], who: Account = ada as Account) => {
    const id = await start(request, who)
    await accept(local.pay(id))
    return id
  }
  const paymentOf = (id: string) => [...local.payments.values()].find(({ checkoutId }) => checkoutId === id)?.payment as string
  const subscriptionOf = (id: string) =>
    [...local.subscriptions.values()].find(({ checkoutId }) => checkoutId === id)?.subscription as string
  return { store, clock, local, shop, ada: ada as Account, eve: eve as Account, accept, start, buy, paymentOf, subscriptionOf }
}
