// A world for the model of commerce: two servers on one database, a payment provider, buyers, and what can happen to them. Every step
// is chosen by numbers, so that a failed run can be shortened and run again.

import fc from 'fast-check'
import { expect } from 'vitest'
import type { Account } from '../../src/accounts/caller.ts'
import type { Checkout } from '../../src/commerce/commerce.ts'
import { isLabError } from '../../src/errors.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { createShop, createTestClock, deliver, member, pages, plans, receive, type Shop } from './commerce.ts'
import { createTestProvider, type Delivery } from './payment-provider.ts'
import { account, now } from './store.ts'

const numbers = { who: fc.nat(3), which: fc.nat(40), server: fc.nat(1) }
const step = <Kind extends string>(kind: Kind) => fc.record({ kind: fc.constant(kind), ...numbers })

const calm = fc.oneof(
  { weight: 6, arbitrary: step('create') },
  { weight: 5, arbitrary: step('open') },
  { weight: 6, arbitrary: step('pay') },
  { weight: 9, arbitrary: step('deliver') },
  ...(
    [
      'complete',
      'cancel',
      'wait',
      'sweep',
      'forge',
      'renew',
      'refund',
      'refund_part',
      'dispute',
      'win',
      'lose',
      'end',
      'fail',
      'spend',
      'leave',
    ] as const
  ).map((kind) => ({ weight: 1, arbitrary: step(kind) })),
)
export type CalmStep = typeof calm extends fc.Arbitrary<infer Step> ? Step : never

/** Several at once; `crash` ends a server, and its connections, in the middle of them; `fault` ends it after so many calls of the store. */
export const anyStep = fc.oneof(
  { weight: 12, arbitrary: calm },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('together' as const), steps: fc.array(calm, { minLength: 2, maxLength: 8 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('crash' as const), steps: fc.array(calm, { minLength: 1, maxLength: 6 }), after: fc.nat(30) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fault' as const), step: calm, after: fc.nat(3), done: fc.boolean() }) },
)
export type Step = typeof anyStep extends fc.Arbitrary<infer Any> ? Any : never

export interface Database {
  readonly databaseUrl: string | undefined
  readonly file: string
}

class Crash extends Error {}

/** Counts the calls of a store, and ends with one of them: before it takes effect, or after. */
const faulty = (store: Store, after: number, done: boolean): Store => {
  let left = after
  const wrap = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as unknown
        if (typeof method !== 'function') return method
        return async (...args: unknown[]) => {
          if (left < 0) throw new Crash('the server has stopped')
          left -= 1
          if (left >= 0) return method.apply(target, args)
          if (done) await method.apply(target, args)
          throw new Crash('the server stops')
        }
      },
    })
  return {
    ...store,
    customers: wrap(store.customers),
    checkouts: wrap(store.checkouts),
    settlements: wrap(store.settlements),
    entitlements: wrap(store.entitlements),
    credits: wrap(store.credits),
  }
}

const offers = [{ plan_id: 'pro_monthly' }, { plan_id: 'founding_pass' }, { plan_id: 'founding_pass' }, { pack_id: 'credits_10' }] as const
export const passLimit = plans.find(({ id }) => id === 'founding_pass')?.limit as number

/** Answers that a caller may get at any time. */
const refusals = ['sold_out', 'checkout_not_open', 'payment_not_confirmed', 'already_bought', 'checkout_limit_reached']

export const createWorld = async (database: Database, cutConnections: () => Promise<void>) => {
  const clock = createTestClock()
  const local = createTestProvider(clock.now)
  const { provider } = local
  const openOne = async () => {
    const store = await openStore({ ...database, now: new Date(now) })
    return { store, shop: createShop(store, { provider, clock }) }
  }
  const servers = [await openOne(), await openOne()]
  const at = (index: number) => servers[index % servers.length] as { store: Store; shop: Shop }
  const buyers: Account[] = []
  for (const name of ['ada', 'bob', 'eve', 'joe']) buyers.push(member((await account(at(0).store, name)).id))
  /** Accounts that were deleted, or are being deleted. */
  const left = new Set<string>()

  const checkouts: { readonly id: string; readonly buyer: Account }[] = []
  /** Events that a server has confirmed to have received. */
  const confirmed = new Set<string>()
  const spent: { readonly accountId: string; readonly what: string; back: boolean }[] = []
  let spends = 0

  /** Whoever deletes an account while it is used elsewhere may see anything fail there. */
  const tolerate = async (who: Account, work: Promise<unknown>) => {
    await work.catch((error: unknown) => {
      if (!(isLabError(error) && refusals.includes(error.code)) && !left.has(who.accountId)) throw error
    })
  }
  const confirm = async (shop: Shop, delivery: Delivery) => {
    await deliver(shop, local, delivery)
    confirmed.add(delivery.id)
  }
  const pick = <Item>(items: readonly Item[], which: number): Item | undefined => items[items.length === 0 ? 0 : which % items.length]
  const wasPaid = (id: string) =>
    local.events.some((delivery) => confirmed.has(delivery.id) && delivery.event.kind === 'paid' && delivery.event.checkoutId === id)

  const remember = (buyer: Account, { id }: Checkout) => void checkouts.push({ id, buyer })

  const take = async ({ kind, who, which, server }: CalmStep, shop = at(server).shop, store = at(server).store): Promise<void> => {
    const buyer = buyers[who] as Account
    const checkout = pick(checkouts, which)
    const payment = pick([...local.payments.keys()], which)
    const subscription = pick([...local.subscriptions.keys()], which)
    if (kind === 'create') {
      const offer = pick(offers, which) as (typeof offers)[number]
      await tolerate(
        buyer,
        shop.checkouts.create(buyer, offer).then((made) => remember(buyer, made)),
      )
    } else if (kind === 'deliver') {
      const delivery = pick(local.events, which)
      if (delivery !== undefined) await confirm(shop, delivery)
    } else if (kind === 'forge') {
      const delivery = pick(local.events, which)
      const body = Buffer.from((delivery?.body.toString() ?? '{}').replace(/"id":"/, '"id":"x'))
      const headers = delivery === undefined ? {} : local.headersOf(delivery)
      await expect(receive(shop, 'local', body, headers)).rejects.toMatchObject({ code: 'invalid_signature' })
    } else if (kind === 'wait') clock.advance(1 + which)
    else if (kind === 'sweep') await shop.sweep()
    else if (kind === 'leave') {
      left.add(buyer.accountId)
      await store.accounts.remove(buyer.accountId, clock.now().toISOString())
      buyers[who] = member((await account(store, `${who} after ${left.size}`)).id)
    } else if (kind === 'spend') {
      spends += 1
      const what = `start ${spends}`
      const now = clock.now().toISOString()
      const isSpent = await store.credits.spend({ accountId: buyer.accountId, amount: 1, what, now }).catch((error: unknown) => {
        if (left.has(buyer.accountId)) return false
        throw error
      })
      if (!isSpent) return
      const entry = { accountId: buyer.accountId, what, back: false }
      spent.push(entry)
      if (which % 3 === 0) entry.back = await shop.credits.giveBack(what)
    } else if (checkout !== undefined && (kind === 'open' || kind === 'pay' || kind === 'complete' || kind === 'cancel')) {
      const { id, buyer: owner } = checkout
      if (kind === 'open') await tolerate(owner, shop.checkouts.payment(owner, id, pages))
      else if (kind === 'pay') local.pay(id)
      else if (kind === 'cancel') await tolerate(owner, shop.checkouts.cancel(owner, id))
      else {
        const paidBefore = wasPaid(id)
        // Whoever was told that the event has arrived finds the checkout completed.
        if (paidBefore && !left.has(owner.accountId))
          expect(await shop.checkouts.complete(owner, id)).toMatchObject({ status: 'completed' })
        else await tolerate(owner, shop.checkouts.complete(owner, id))
      }
    } else if (kind === 'fail' && checkout !== undefined) local.failPayment(checkout.id)
    else if (kind === 'renew' && subscription !== undefined) local.renew(subscription)
    else if (kind === 'end' && subscription !== undefined) local.end(subscription)
    else if (kind === 'refund' && payment !== undefined) local.refund(payment)
    else if (kind === 'refund_part' && payment !== undefined) local.refund(payment, 90 * (1 + (which % 5)))
    else if (kind === 'dispute' && payment !== undefined) local.dispute(payment)
    else if (kind === 'win' && payment !== undefined) local.decide(payment, 'won')
    else if (kind === 'lose' && payment !== undefined) local.decide(payment, 'lost')
  }

  const replace = async (index: number) => {
    servers[index] = await openOne()
  }

  return {
    clock,
    local,
    at,
    buyers,
    checkouts,
    confirmed,
    spent,
    confirm,
    perform: async (any: Step): Promise<void> => {
      if (any.kind === 'together') await Promise.all(any.steps.map((one) => take(one)))
      else if (any.kind === 'fault') {
        const { store } = at(any.step.server)
        // What a server had in memory is gone with it; what it had begun is not undone.
        const broken = faulty(store, any.after, any.done)
        const shop = createShop(broken, { provider, clock })
        if (any.step.kind !== 'spend' && any.step.kind !== 'leave')
          await take(any.step, shop, broken).catch((error: unknown) => ignoreCrash(error))
      } else if (any.kind === 'crash') {
        const { store, shop } = at(0)
        const steps = any.steps.filter(({ kind }) => kind !== 'spend' && kind !== 'leave')
        const work = Promise.allSettled(steps.map((one) => take(one, shop, store)))
        for (let turn = 0; turn < any.after; turn += 1) await new Promise(setImmediate)
        await cutConnections()
        await store.close()
        await work
        await replace(0)
        // The connections of the other server may be cut, too.
        await at(1).store.close()
        await replace(1)
      } else await take(any)
    },
    close: () => Promise.all(servers.map(({ store }) => store.close())),
  }
}

const ignoreCrash = (error: unknown) => {
  if (!(error instanceof Crash)) throw error
}

export type World = Awaited<ReturnType<typeof createWorld>>
