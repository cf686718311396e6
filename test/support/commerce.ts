// Servers for tests of commerce: each has a store handle of its own; they share one database, one provider and one clock.

import { type CommerceDeps, createCommerce } from '../../src/commerce/commerce.ts'
import type { CreditPack, Plan } from '../../src/contract/offers.ts'
import { createCursors } from '../../src/cursor.ts'
import { createLog } from '../../src/log.ts'
import { createTestProvider, type Delivery, type TestProvider } from './payment-provider.ts'

export const plans: readonly Plan[] = [
  { id: 'pro_monthly', name: 'Pro', amount: 2900, currency: 'usd', interval: 'month' },
  { id: 'founding_pass', name: 'Founding pass', amount: 24900, currency: 'usd', interval: 'once', limit: 3 },
]
export const creditPacks: readonly CreditPack[] = [{ id: 'credits_10', name: '10 drills', credits: 10, amount: 900, currency: 'usd' }]

export const pages = { returnUrl: 'https://lab.example/paid', cancelUrl: 'https://lab.example/pricing' }

/** A clock that stands still until it is told otherwise. */
export const createTestClock = (start = '2026-01-02T03:04:05.000Z') => {
  let at = Date.parse(start)
  return {
    now: () => new Date(at),
    sleep: async () => undefined,
    advance: (minutes: number) => {
      at += minutes * 60_000
    },
  }
}

export const createShop = (store: CommerceDeps['store'], options: Partial<CommerceDeps> = {}) => {
  const clock = options.clock ?? createTestClock()
  return createCommerce({
    store,
    content: { plans, creditPacks },
    provider: createTestProvider(clock.now).provider,
    log: createLog('silent'),
    limits: { checkoutMinutes: 30, accountCheckouts: 1000 },
    cursors: createCursors('secret'),
    sellsCredits: true,
    ...options,
    clock,
  })
}

export type Shop = ReturnType<typeof createShop>

/** What a server does with a report. */
export const receive = async (shop: Shop, ...report: Parameters<Shop['payments']['verify']>) => shop.payments.verify(...report)()

/** Sends an event to a server, as the provider would. */
export const deliver = (shop: Shop, provider: TestProvider, delivery: Delivery) =>
  receive(shop, 'local', delivery.body, provider.headersOf(delivery))

export const member = (accountId: string) => ({ kind: 'account', accountId, role: 'member' }) as const
