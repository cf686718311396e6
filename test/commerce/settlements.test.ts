// What payments change, and what is done about them afterwards, on SQLite and on a real PostgreSQL.

import { describe, expect, it } from 'vitest'
import { createShop, deliver } from '../support/commerce.ts'
import type { Delivery } from '../support/payment-provider.ts'
import { codeOf, openShop, pack, pass, pro } from '../support/shop.ts'
import { usePostgres, useSqlite, useStores } from '../support/store.ts'

const { open } = useStores()
const newSqlite = useSqlite()
const { newPostgres } = usePostgres()

describe.each([
  ['SQLite', newSqlite],
  ['PostgreSQL', newPostgres],
])('what is paid on %s', (_name, newDatabase) => {
  const setUp = async () => {
    const database = await newDatabase()
    return { database, ...(await openShop(await open(database))) }
  }

  it('refunds, in part and in full, take back credits, also those that were spent', async () => {
    const { shop, store, ada, accept, local, buy, paymentOf, clock } = await setUp()
    const id = await buy(pack)
    const payment = paymentOf(id)
    const spend = (what: string) => store.credits.spend({ accountId: ada.accountId, amount: 1, what, now: clock.now().toISOString() })
    expect([await spend('one'), await spend('one'), await spend('two')]).toEqual([true, true, true])
    expect(await shop.credits.balance(ada.accountId)).toBe(8)
    expect(await Promise.all([shop.credits.giveBack('two'), shop.credits.giveBack('two')])).toHaveLength(2)
    expect([await shop.credits.giveBack('two'), await shop.credits.giveBack('never')]).toEqual([false, false])
    expect(await shop.credits.balance(ada.accountId)).toBe(9)
    await accept(local.refund(payment, 450))
    expect(await shop.credits.balance(ada.accountId)).toBe(4)
    expect((await shop.checkouts.read(ada, id)).payment_status).toBe('paid')
    await accept(local.refund(payment))
    expect(await shop.checkouts.complete(ada, id)).toMatchObject({ status: 'completed', payment_status: 'refunded' })
    expect(await shop.credits.balance(ada.accountId)).toBe(-1)
    expect(await spend('three')).toBe(false)
    const first = await shop.credits.page(ada.accountId, { limit: 4 })
    expect(first).toMatchObject({ balance: -1, has_more: true, total_count: 6 })
    const second = await shop.credits.page(ada.accountId, { limit: 4, cursor: first.next_cursor as string })
    expect([...first.items, ...second.items].reduce((sum, { amount }) => sum + amount, 0)).toBe(-1)
    expect(new Set([...first.items, ...second.items].map(({ reason }) => reason))).toEqual(
      new Set(['purchase', 'refund', 'spend', 'give_back']),
    )
    expect(await shop.check()).toEqual([])
  })

  it('credits cannot be spent twice by two servers at once', async () => {
    const { database, store, ada, buy, shop, clock } = await setUp()
    await buy(pack)
    const other = await open(database)
    const spent = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        (index % 2 === 0 ? store : other).credits.spend({
          accountId: ada.accountId,
          amount: 1,
          what: `${index}`,
          now: clock.now().toISOString(),
        }),
      ),
    )
    expect(spent.filter(Boolean)).toHaveLength(10)
    expect(await shop.credits.balance(ada.accountId)).toBe(0)
  })

  it('an open dispute shows; a lost one takes back what was bought, a won one gives nothing new', async () => {
    const { shop, ada, eve, accept, local, buy, paymentOf } = await setUp()
    const [kept, lost] = [await buy(pass), await buy(pass, eve)]
    for (const id of [kept, lost]) await accept(local.dispute(paymentOf(id)))
    expect((await shop.checkouts.read(ada, kept)).payment_status).toBe('disputed')
    expect(await shop.entitlements.of(eve.accountId)).toMatchObject({ planId: 'founding_pass', endsAt: null })
    await accept(local.decide(paymentOf(kept), 'won'))
    await accept(local.decide(paymentOf(lost), 'lost'))
    expect((await shop.checkouts.read(ada, kept)).payment_status).toBe('paid')
    expect((await shop.checkouts.read(eve, lost)).payment_status).toBe('disputed')
    expect(await shop.entitlements.of(ada.accountId)).toMatchObject({ planId: 'founding_pass', endsAt: null })
    expect(await shop.entitlements.of(eve.accountId)).toBeNull()
    expect(await shop.check()).toEqual([])
  })

  it('a monthly plan is renewed, survives a failed renewal for its grace, and ends', async () => {
    const { shop, ada, accept, local, buy, subscriptionOf, clock } = await setUp()
    const id = await buy(pro)
    const subscription = subscriptionOf(id)
    const days = async () => {
      const { endsAt } = (await shop.entitlements.of(ada.accountId)) ?? {}
      return endsAt == null ? endsAt : (Date.parse(endsAt) - clock.now().getTime()) / 86_400_000
    }
    const advanceDays = (count: number) => clock.advance(count * 24 * 60)
    expect(await days()).toBe(33)
    advanceDays(30)
    await accept(local.renew(subscription))
    expect(await days()).toBe(33)
    advanceDays(30)
    await accept(local.failRenewal(subscription))
    expect(await days()).toBe(3)
    advanceDays(3)
    expect(await days()).toBeUndefined()
    await accept(local.renew(subscription))
    expect(await days()).toBe(30)
    advanceDays(1)
    await accept(local.end(subscription))
    expect(await days()).toBeUndefined()
    expect((await shop.checkouts.history(ada, id)).items.map(({ event }) => event)).toEqual([
      ...['created', 'page_opened', 'paid', 'renewed', 'renewal_failed', 'renewed', 'subscription_ended'],
    ])
    expect((await shop.checkouts.read(ada, id)).payment_status).toBe('paid')
    expect(await shop.check()).toEqual([])
  })

  it('events that come in the wrong order have the same effect', async () => {
    const { shop, ada, eve, accept, local, start, subscriptionOf, paymentOf } = await setUp()
    const id = await start(pro)
    const paid = local.pay(id)
    const renewed = local.renew(subscriptionOf(id)) as Delivery
    const second = (renewed.event as { payment: string }).payment
    const refunded = local.refund(second)
    const ended = local.end(subscriptionOf(id))
    for (const delivery of [refunded, ended, renewed]) expect(await accept(delivery)).toBe('applied')
    expect(await shop.checkouts.read(ada, id)).toMatchObject({ status: 'open', payment_status: 'unpaid' })
    expect((await shop.check()).filter(({ kind }) => kind === 'unlinked_event')).toHaveLength(3)
    await accept(paid)
    expect(await shop.checkouts.read(ada, id)).toMatchObject({ status: 'completed', payment_status: 'paid' })
    expect(await shop.entitlements.of(ada.accountId)).toBeNull()
    expect(await shop.check()).toEqual([])

    const packId = await start(pack, eve)
    const packPaid = local.pay(packId)
    const refund = local.refund(paymentOf(packId))
    await Promise.all([accept(refund), accept(packPaid), accept(refund), accept(packPaid)])
    expect(await shop.credits.balance(eve.accountId)).toBe(0)
    expect((await shop.checkouts.read(eve, packId)).payment_status).toBe('refunded')
    expect(await shop.check()).toEqual([])
  })

  it('a thousand duplicates of one event at once, on two servers, change state once', async () => {
    const { database, shop, clock, ada, local, start } = await setUp()
    const other = createShop(await open(database), { provider: local.provider, clock })
    const id = await start(pack)
    const paid = local.pay(id) as Delivery
    const answers = await Promise.all(Array.from({ length: 1000 }, (_, index) => deliver(index % 2 === 0 ? shop : other, local, paid)))
    expect(answers.filter((answer) => answer === 'applied')).toHaveLength(1)
    expect(new Set(answers)).toEqual(new Set(['applied', 'duplicate']))
    expect(await shop.credits.page(ada.accountId, { limit: 20 })).toMatchObject({ balance: 10, total_count: 1 })
    expect((await shop.checkouts.history(ada, id)).items).toHaveLength(3)
  })

  it('a plan is not sold again while its subscription goes on, though it gives nothing any more', async () => {
    const { shop, ada, eve, buy, accept, local, clock, paymentOf, subscriptionOf } = await setUp()
    const [first, refunded] = [await buy(pro), await buy(pro, eve)]
    clock.advance(30 * 24 * 60)
    await accept(local.failRenewal(subscriptionOf(first)))
    await accept(local.refund(paymentOf(refunded)))
    clock.advance(4 * 24 * 60)
    for (const who of [ada, eve]) {
      expect(await shop.entitlements.of(who.accountId)).toBeNull()
      expect(await codeOf(shop.checkouts.create(who, pro))).toBe('already_bought')
    }
    expect(await shop.subscriptions.of(ada.accountId)).toMatchObject([{ checkoutId: first, state: 'past_due' }])
    expect(await shop.subscriptions.of(eve.accountId)).toMatchObject([{ checkoutId: refunded, state: 'refunded', endsAt: null }])
    await accept(local.renew(subscriptionOf(first)))
    expect(await shop.subscriptions.of(ada.accountId)).toMatchObject([{ state: 'active' }])
    await accept(local.end(subscriptionOf(refunded)))
    expect(await shop.subscriptions.of(eve.accountId)).toEqual([])
    expect((await shop.checkouts.create(eve, pro)).status).toBe('open')
  })

  it('the check tells what the provider has and the store has not, and the other way round', async () => {
    const { shop, eve, buy, start, local, paymentOf, subscriptionOf, accept } = await setUp()
    const [unheard, refunded, disputed, gone, running, over] = [
      ...[await start(pack), await buy(pack), await buy(pack), await buy(pack), await buy(pro), await buy(pro, eve)],
    ]
    local.pay(unheard as string)
    local.refund(paymentOf(refunded as string))
    local.dispute(paymentOf(disputed as string))
    local.payments.delete(paymentOf(gone as string))
    local.renew(subscriptionOf(running as string))
    local.renew(subscriptionOf(running as string))
    local.end(subscriptionOf(over as string))
    const told = (await shop.check()).map(({ kind, checkoutId }) => `${kind} ${checkoutId}`).sort()
    const expected = [
      ...[`event_missing ${unheard}`, `refund_differs ${refunded}`, `dispute_differs ${disputed}`, `payment_missing ${gone}`],
      ...[`event_missing ${running}`, `event_missing ${running}`, `renewal_missing ${running}`, `subscription_ended ${over}`],
    ]
    expect(told).toEqual(expected.sort())
    for (const delivery of local.events) await accept(delivery)
    expect((await shop.check()).map(({ kind }) => kind)).toEqual(['payment_missing'])
    // A renewal that was refunded is not missing.
    for (const { payment, checkoutId } of local.payments.values()) if (checkoutId === running) await accept(local.refund(payment))
    expect((await shop.check()).map(({ kind }) => kind)).toEqual(['payment_missing'])
  })
})
