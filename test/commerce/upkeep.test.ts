// What is left of checkouts: deleted accounts, customers, pages to close, what is forgotten. On SQLite and on a real PostgreSQL.

import { describe, expect, it } from 'vitest'
import { LabError } from '../../src/errors.ts'
import { createShop, member, pages } from '../support/commerce.ts'
import { createTestProvider } from '../support/payment-provider.ts'
import { codeOf, openShop, pack, pass, pro } from '../support/shop.ts'
import { account, usePostgres, useSqlite, useStores } from '../support/store.ts'

const { open } = useStores()
const newSqlite = useSqlite()
const { newPostgres } = usePostgres()

describe.each([
  ['SQLite', newSqlite],
  ['PostgreSQL', newPostgres],
])('what is left on %s', (_name, newDatabase) => {
  const setUp = async () => {
    const database = await newDatabase()
    return { database, ...(await openShop(await open(database))) }
  }

  it('a deleted account leaves the books without a trace of it, and its subscription is ended', async () => {
    const { shop, store, ada, eve, buy, start, accept, local, subscriptionOf, paymentOf } = await setUp()
    const [subscribed, credits, open, late] = [await buy(pro), await buy(pack), await start(pass), await start(pack)]
    await store.accounts.remove(ada.accountId, '2026-01-02T03:05:00.000Z')
    const paidLate = local.pay(late)
    for (const id of [subscribed, credits, open]) expect(await codeOf(shop.checkouts.read(ada, id))).toBe('not_found')
    expect(await store.settlements.countHeld('founding_pass')).toBe(0)
    await shop.sweep()
    await shop.sweep()
    expect(local.pageOf(open)?.state).toBe('closed')
    expect(local.subscriptions.get(subscriptionOf(subscribed))?.status).toBe('ended')
    for (const delivery of local.events.filter(({ event }) => event.kind === 'subscription_ended'))
      expect(await accept(delivery)).toBe('applied')
    const all = await Promise.all([subscribed, credits, open].map((id) => store.settlements.books(id)))
    expect(JSON.stringify(all)).not.toContain(ada.accountId)
    expect(all.map((books) => books?.checkout.payment_status)).toEqual(['paid', 'paid', 'unpaid'])
    expect(all[1]?.credits).toBe(10)

    const told = async () => (await shop.check()).map(({ kind, reference }) => [kind, reference])
    expect(await told()).toEqual([['event_missing', paymentOf(late)]])
    expect(await accept(paidLate)).toBe('applied')
    expect(await told()).toEqual([['account_deleted', paymentOf(late)]])
    expect(JSON.stringify(await store.settlements.books(late))).not.toContain(ada.accountId)
    await accept(local.refund(paymentOf(late)))
    expect(await told()).toEqual([])
    expect(await shop.credits.balance(eve.accountId)).toBe(0)
  })

  it('an account may be deleted while its events arrive', async () => {
    const { shop, store, ada, accept, local, start } = await setUp()
    const ids = await Promise.all(Array.from({ length: 10 }, () => start(pack)))
    const deliveries = ids.map((id) => local.pay(id))
    const removed = store.accounts.remove(ada.accountId, '2026-01-02T03:05:00.000Z')
    expect(await Promise.all(deliveries.map((delivery) => accept(delivery)))).toEqual(Array(10).fill('applied'))
    await removed
    const books = await Promise.all(ids.map((id) => store.settlements.books(id)))
    expect(books.map((one) => [one?.checkout.account_id, one?.credits])).toEqual(Array(10).fill([null, 10]))
    expect((await shop.check()).filter(({ kind }) => kind !== 'account_deleted')).toEqual([])
  })

  it('an account is one customer, from its first page on, whichever server opens it', async () => {
    const { shop, database, clock, ada, eve, start, local, accept } = await setUp()
    const other = createShop(await open(database), { provider: local.provider, clock })
    const ids = await Promise.all([shop, other, shop].map(async (by) => (await by.checkouts.create(ada, pack)).id))
    await Promise.all(ids.map((id, index) => (index === 1 ? other : shop).checkouts.payment(ada, id, pages)))
    const customers = new Set(ids.map((id) => local.pageOf(id)?.order.customer))
    expect(customers.size).toBe(1)
    const [customer] = customers
    expect(local.customers).toContain(customer)
    expect(await codeOf(shop.billing.portal(ada, 'https://lab.example'))).toBe('not_found')
    await accept(local.pay(ids[0] as string))
    expect((await shop.billing.portal(ada, 'https://lab.example')).url).toContain(customer)
    expect(await codeOf(shop.billing.portal(eve, 'https://lab.example'))).toBe('not_found')
    expect(local.pageOf(await start(pro))?.order).toMatchObject({ customer, name: 'Pro', ...pages })
    expect(local.pageOf(await start(pro, eve))?.order.customer).not.toBe(customer)
    const live = createTestProvider(clock.now, { live: true })
    const real = createShop(await open(database), { provider: live.provider, clock })
    const bought = await real.checkouts.create(ada, pack)
    await real.checkouts.payment(ada, bought.id, pages)
    expect(live.pageOf(bought.id)?.order.customer).toBe(live.customers[0])
  })

  it('forgets what was never paid after a month, and nothing else', async () => {
    const { shop, store, ada, start, buy, clock, local, accept } = await setUp()
    const [paid, opened, declined] = [await buy(pack), await start(pack), await start(pack)]
    const { id: unpaid } = await shop.checkouts.create(ada, pack)
    await accept(local.failPayment(declined))
    const late = local.pay(opened)
    clock.advance(29 * 24 * 60)
    await shop.sweep()
    expect((await shop.checkouts.read(ada, unpaid)).status).toBe('expired')
    const { id: open } = await shop.checkouts.create(ada, pack)
    clock.advance(2 * 24 * 60)
    await shop.sweep()
    expect(await codeOf(shop.checkouts.read(ada, unpaid))).toBe('not_found')
    expect(await store.checkouts.history(unpaid)).toEqual([])
    for (const id of [paid, opened, declined, open]) expect((await shop.checkouts.read(ada, id)).id).toBe(id)
    await accept(late)
    expect(await shop.credits.balance(ada.accountId)).toBe(20)
    clock.advance(400 * 24 * 60)
    await shop.sweep()
    expect(await codeOf(shop.checkouts.read(ada, declined))).toBe('not_found')
    for (const id of [paid, opened]) expect((await shop.checkouts.read(ada, id)).payment_status).toBe('paid')
    expect(await shop.check()).toEqual([])
  })

  it('is not touched under a key of the other mode, and a test that gives something is told there', async () => {
    const { store, clock, ada, buy, start, local, subscriptionOf, shop } = await setUp()
    const [subscribed, open, kept] = [await buy(pro), await start(pack), await buy(pack, member((await account(store, 'grace')).id))]
    await store.accounts.remove(ada.accountId, clock.now().toISOString())
    const live = createShop(store, { provider: createTestProvider(clock.now, { live: true }).provider, clock })
    await live.sweep()
    await shop.sweep()
    expect([local.pageOf(open)?.state, local.subscriptions.get(subscriptionOf(subscribed))?.status]).toEqual(['closed', 'ended'])
    const told = (await live.check()).filter(({ kind }) => kind === 'paid_by_test').map(({ checkoutId }) => checkoutId)
    expect(told.sort()).toEqual([subscribed, kept].sort())
  })

  it('asks a provider that is away once in a pass, and not for each page', async () => {
    const { store, ada, local, clock } = await setUp()
    let asked = 0
    const close = async () => {
      asked += 1
      throw new LabError('payment_provider_unavailable', 'away')
    }
    const shop = createShop(store, { provider: { ...local.provider, close }, clock })
    for (const _ of [1, 2, 3]) {
      const { id } = await shop.checkouts.create(ada, pack)
      await shop.checkouts.payment(ada, id, pages)
      await shop.checkouts.cancel(ada, id)
    }
    await shop.sweep()
    expect(asked).toBe(1)
  })

  it('closes every page in the end, also when some cannot be closed', async () => {
    const { store, ada, local, clock } = await setUp()
    const stuck = new Set<string>()
    const close = async (reference: string) => {
      if (stuck.has(reference)) throw new Error('this page cannot be closed')
      await local.provider.close(reference)
    }
    const shop = createShop(store, { provider: { ...local.provider, close }, clock })
    const ids = await Promise.all(
      Array.from({ length: 120 }, async () => {
        const { id } = await shop.checkouts.create(ada, pack)
        await shop.checkouts.payment(ada, id, pages)
        await shop.checkouts.cancel(ada, id)
        return id
      }),
    )
    const sorted = ids.toSorted()
    for (const id of [...sorted.slice(0, 55), ...sorted.slice(-55)]) stuck.add(local.pageOf(id)?.reference as string)
    for (const _ of [1, 2, 3]) await shop.sweep()
    expect(ids.filter((id) => local.pageOf(id)?.state === 'closed')).toHaveLength(10)
  })
})
