// Checkouts and what their payments change, on SQLite and on a real PostgreSQL.

import { describe, expect, it } from 'vitest'
import type { Account } from '../../src/accounts/caller.ts'
import { isLabError, LabError } from '../../src/errors.ts'
import { createShop, createTestClock, creditPacks, deliver, member, pages, plans, receive, type Shop } from '../support/commerce.ts'
import { createTestProvider, type Delivery } from '../support/payment-provider.ts'
import { account, usePostgres, useSqlite, useStores } from '../support/store.ts'

const { open } = useStores()
const newSqlite = useSqlite()
const { newPostgres } = usePostgres()

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (isLabError(error) ? error.code : `${error}`),
  )

const pro = { plan_id: 'pro_monthly' }
const pass = { plan_id: 'founding_pass' }
const pack = { pack_id: 'credits_10' }

describe.each([
  ['SQLite', newSqlite],
  ['PostgreSQL', newPostgres],
])('checkouts on %s', (_name, newDatabase) => {
  const setUp = async () => {
    const database = await newDatabase()
    const store = await open(database)
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
    return { database, store, clock, local, shop, ada: ada as Account, eve: eve as Account, accept, start, buy, paymentOf, subscriptionOf }
  }

  it('is created open and unpaid, tells that it cannot charge, and is nobody else’s', async () => {
    const { shop, ada, eve, store } = await setUp()
    const urls = { success_url: 'https://a.example/ok', cancel_url: 'http://localhost:1/no' }
    const checkout = await shop.checkouts.create(ada, { ...pro, ...urls }, 'request')
    expect(checkout).toMatchObject({ status: 'open', payment_status: 'unpaid', ...pro, ...urls, amount: 2900, currency: 'usd' })
    expect(checkout.messages[0]?.text).toContain('cannot charge')
    expect(Date.parse(checkout.expires_at) - Date.parse(checkout.created_at)).toBe(30 * 60_000)
    expect(await shop.checkouts.read(ada, checkout.id)).toEqual(checkout)
    expect(await shop.checkouts.findCreated('request')).toEqual(checkout)
    expect(await shop.checkouts.findCreated('other')).toBeNull()
    const { pack_id } = await shop.checkouts.create(ada, pack)
    expect(pack_id).toBe('credits_10')
    for (const verb of ['read', 'complete', 'cancel', 'history'] as const) {
      expect(await codeOf(shop.checkouts[verb](eve, checkout.id))).toBe('not_found')
      expect(await codeOf(shop.checkouts[verb](ada, 'nothing'))).toBe('not_found')
    }
    expect(await codeOf(shop.checkouts.payment(eve, checkout.id, pages))).toBe('not_found')
    expect(await codeOf(shop.checkouts.create(ada, { plan_id: 'credits_10' }))).toBe('invalid_request')
    expect(await codeOf(shop.checkouts.create(ada, { pack_id: 'pro_monthly' }))).toBe('invalid_request')
    await expect(shop.checkouts.create(ada, pro, 'request')).rejects.toThrow(/unique/i)
    const few = createShop(store, { limits: { checkoutMinutes: 30, accountCheckouts: 2 } })
    expect(await codeOf(few.checkouts.create(ada, pack))).toBe('checkout_limit_reached')
    expect((await few.checkouts.create(eve, pro)).status).toBe('open')
  })

  it('where payments are off, nothing can be bought, and what was bought stays', async () => {
    const { store, clock, ada, buy } = await setUp()
    const id = await buy(pro)
    const off = createShop(store, { provider: null, clock })
    expect(await codeOf(off.checkouts.create(ada, pro))).toBe('payments_off')
    expect(await codeOf(off.checkouts.payment(ada, id, pages))).toBe('payments_off')
    expect(await codeOf(off.billing.portal(ada, 'https://lab.example'))).toBe('payments_off')
    expect(await codeOf(receive(off, 'local', Buffer.from('{}'), {}))).toBe('not_found')
    expect((await off.checkouts.complete(ada, id)).payment_status).toBe('paid')
    expect(await off.entitlements.of(ada.accountId)).toMatchObject({ planId: 'pro_monthly' })
    await off.sweep()
    expect(await off.check()).toEqual([])
  })

  it('only a verified event completes it', async () => {
    const { shop, ada, local, accept, start } = await setUp()
    const id = await start(pro)
    expect(await codeOf(shop.checkouts.complete(ada, id))).toBe('payment_not_confirmed')
    const paid = local.pay(id) as Delivery
    expect(await codeOf(receive(shop, 'stripe', paid.body, local.headersOf(paid)))).toBe('not_found')
    const changed = Buffer.from(paid.body.toString().replace('2900', '2901'))
    const unsigned = [{}, local.headersOf({ body: changed }, new Date(0)), { 'lab-signature': 't=1,v1=00' }]
    for (const headers of unsigned) expect(await codeOf(receive(shop, 'local', changed, headers))).toBe('invalid_signature')
    expect(await codeOf(receive(shop, 'local', changed, local.headersOf(paid)))).toBe('invalid_signature')
    expect(await codeOf(shop.checkouts.complete(ada, id))).toBe('payment_not_confirmed')
    expect(await shop.entitlements.of(ada.accountId)).toBeNull()

    expect(await accept(paid)).toBe('applied')
    expect(await accept(paid)).toBe('duplicate')
    const done = await shop.checkouts.complete(ada, id)
    expect(done).toMatchObject({ status: 'completed', payment_status: 'paid' })
    expect(await shop.checkouts.complete(ada, id)).toEqual(done)
    expect(await codeOf(shop.checkouts.cancel(ada, id))).toBe('checkout_not_open')
    expect(await codeOf(shop.checkouts.payment(ada, id, pages))).toBe('checkout_not_open')
    expect(await accept(local.emit({ kind: 'ignored', type: 'other' }))).toBe('ignored')
    const { items } = await shop.checkouts.history(ada, id)
    expect(items.map(({ event, status }) => `${event} ${status}`)).toEqual(['created open', 'page_opened open', 'paid completed'])
    expect(await shop.check()).toEqual([])
  })

  it('is cancelled once; a payment that comes later is honoured', async () => {
    const { shop, ada, accept, local, start } = await setUp()
    const id = await start(pack)
    const cancelled = await shop.checkouts.cancel(ada, id)
    expect(cancelled.status).toBe('cancelled')
    expect(await shop.checkouts.cancel(ada, id)).toEqual(cancelled)
    expect(await codeOf(shop.checkouts.complete(ada, id))).toBe('checkout_not_open')
    await accept(local.pay(id))
    expect(await shop.checkouts.complete(ada, id)).toMatchObject({ status: 'completed', payment_status: 'paid' })
    expect(await shop.credits.balance(ada.accountId)).toBe(10)
    expect(await codeOf(shop.checkouts.cancel(ada, id))).toBe('checkout_not_open')
  })

  it('expires lazily and by the sweep, which closes its page; a payment that comes later is honoured', async () => {
    const { shop, ada, accept, local, start, clock } = await setUp()
    const [paidLate, lazy, swept] = [await start(pack), await start(pack), await start(pack)]
    const late = local.pay(paidLate)
    clock.advance(30)
    expect(await codeOf(shop.checkouts.complete(ada, lazy))).toBe('checkout_not_open')
    expect((await shop.checkouts.read(ada, lazy)).status).toBe('expired')
    expect(await codeOf(shop.checkouts.cancel(ada, lazy))).toBe('checkout_not_open')
    expect(await codeOf(shop.checkouts.payment(ada, lazy, pages))).toBe('checkout_not_open')
    await shop.sweep()
    expect((await shop.checkouts.history(ada, swept)).items.at(-1)).toMatchObject({ event: 'expired', status: 'expired' })
    expect([lazy, swept].map((id) => local.pageOf(id)?.state)).toEqual(['closed', 'closed'])
    expect(local.pay(swept)).toBeNull()
    await accept(late)
    expect(await shop.checkouts.complete(ada, paidLate)).toMatchObject({ status: 'completed', payment_status: 'paid' })
    expect(await shop.credits.balance(ada.accountId)).toBe(10)
    expect(await shop.check()).toEqual([])
  })

  it('has one page, also when the server stops between opening and storing it', async () => {
    const { shop, store, clock, ada, local } = await setUp()
    const { id } = await shop.checkouts.create(ada, pack)
    const lost = {
      ...local.provider,
      open: async (...order: Parameters<typeof local.provider.open>) => {
        await local.provider.open(...order)
        throw new Error('the server stops')
      },
    }
    const dying = createShop(store, { provider: lost, clock })
    await expect(dying.checkouts.payment(ada, id, pages)).rejects.toThrow('the server stops')
    const other = { returnUrl: 'https://other.example', cancelUrl: 'https://other.example' }
    const { url } = await shop.checkouts.payment(ada, id, other)
    expect(url).toBe(local.pageOf(id)?.url)
    expect(await Promise.all(Array.from({ length: 5 }, () => shop.checkouts.payment(ada, id, pages)))).toEqual(Array(5).fill({ url }))

    const { id: forgotten } = await shop.checkouts.create(ada, pack)
    await expect(dying.checkouts.payment(ada, forgotten, pages)).rejects.toThrow('the server stops')
    await shop.checkouts.cancel(ada, forgotten)
    expect(local.pageOf(forgotten)?.state).toBe('open')
    await shop.sweep()
    expect(local.pageOf(forgotten)?.state).toBe('closed')
    const { id: givenUp } = await shop.checkouts.create(ada, pack)
    await expect(dying.checkouts.payment(ada, givenUp, pages)).rejects.toThrow('the server stops')
    const away = { ...local.provider, close: () => Promise.reject(new Error('away')) }
    await shop.checkouts.cancel(ada, id)
    await createShop(store, { provider: away, clock }).sweep()
    expect(local.pageOf(id)?.state).toBe('open')
    await shop.sweep()
    expect(local.pageOf(id)?.state).toBe('closed')

    // What has expired at the provider, too, is not asked for again, and what was to be asked is forgotten.
    clock.advance(120)
    await shop.sweep()
    expect((await store.checkouts.find(givenUp))?.page_order).toBeNull()
    expect(local.pageOf(givenUp)?.state).toBe('open')
  })

  it('a payment of another amount, currency, offer or mode pays nothing, and is told', async () => {
    const { shop, ada, accept, local, start } = await setUp()
    const wrongs = [{ amount: 1 }, { currency: 'eur' }, { offerId: 'founding_pass' }, { live: true }]
    for (const wrong of wrongs) {
      const id = await start(pro)
      expect(await accept(local.pay(id, wrong))).toBe('applied')
      expect(await shop.checkouts.read(ada, id)).toMatchObject({ status: 'open', payment_status: 'unpaid' })
    }
    await accept(
      local.emit({
        kind: 'paid',
        checkoutId: 'unknown',
        offerId: 'pro_monthly',
        amount: 2900,
        currency: 'usd',
        payment: 'p',
        customer: null,
        subscription: null,
        periodEnd: null,
      }),
    )
    expect(await shop.entitlements.of(ada.accountId)).toBeNull()
    const kinds = (await shop.check()).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind.startsWith('wrong'))).toHaveLength(4)
    for (const kind of ['wrong_amount', 'wrong_currency', 'wrong_offer', 'wrong_mode', 'unlinked_event']) expect(kinds).toContain(kind)
  })

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

  it('a limited plan is never oversold: fifty at once on two servers, then late payments', async () => {
    const { database, store, clock, local, accept } = await setUp()
    const two = [store, await open(database)].map((one) => createShop(one, { provider: local.provider, clock }))
    const at = (index: number) => two[index % 2] as Shop
    const buyers = await Promise.all(Array.from({ length: 50 }, async (_, index) => member((await account(store, `buyer ${index}`)).id)))
    const tryAll = (who: readonly Account[]) =>
      Promise.all(
        who.map((buyer, index) =>
          at(index)
            .checkouts.create(buyer, pass)
            .catch((error: unknown) => error),
        ),
      )
    const isMade = (made: unknown): made is { id: string } => !(made instanceof Error)
    const made = await tryAll(buyers)
    expect(made.filter(isMade)).toHaveLength(3)
    for (const error of made.filter((one) => !isMade(one))) expect(isLabError(error, 'sold_out')).toBe(true)

    const buyerOf = (index: number) => buyers[index] as Account
    const holders = made.flatMap((one, index) => (isMade(one) ? [{ id: one.id, who: buyerOf(index) }] : []))
    for (const { id, who } of holders) await at(0).checkouts.payment(who, id, pages)
    const late = holders.map(({ id }) => local.pay(id))
    clock.advance(30)
    const others = buyers.filter((buyer) => !holders.some(({ who }) => who === buyer))
    const next = (await tryAll(others)).filter(isMade)
    expect(next).toHaveLength(3)
    // The first three paid, but too late: what they held is held by others now.
    await Promise.all(late.map((delivery, index) => accept(delivery, at(index))))
    for (const { id, who } of holders) {
      expect(await at(1).checkouts.complete(who, id)).toMatchObject({ status: 'completed', payment_status: 'paid' })
      expect(await at(1).entitlements.of(who.accountId)).toBeNull()
    }
    const told = await at(0).check()
    expect(told.map(({ kind }) => kind)).toEqual(['none_left', 'none_left', 'none_left'])
    for (const { reference } of told) await accept(local.refund(reference as string), at(0))
    expect(await at(0).check()).toEqual([])
    expect(await store.settlements.countHeld('founding_pass')).toBe(3)
  })

  it('what a cancelled or refunded checkout held can be bought by another, and a late payment takes what is left', async () => {
    const { shop, store, eve, buy, start, accept, local, paymentOf } = await setUp()
    const [grace, linus, ken] = (await Promise.all(
      ['grace', 'linus', 'ken'].map(async (name) => member((await account(store, name)).id)),
    )) as [Account, Account, Account]
    const first = await buy(pass)
    const second = await start(pass, eve)
    const third = await start(pass, grace)
    expect(await codeOf(shop.checkouts.create(linus, pass))).toBe('sold_out')
    await shop.checkouts.cancel(eve, second)
    await buy(pass, linus)
    expect(await codeOf(shop.checkouts.create(ken, pass))).toBe('sold_out')
    await accept(local.refund(paymentOf(first)))
    expect(await store.settlements.countHeld('founding_pass')).toBe(2)
    await accept(local.pay(second))
    expect(await store.settlements.countHeld('founding_pass')).toBe(3)
    expect(await shop.entitlements.of(eve.accountId)).toMatchObject({ planId: 'founding_pass' })
    await accept(local.pay(third))
    expect(await shop.check()).toEqual([])
    expect(await store.settlements.countHeld('founding_pass')).toBe(3)
  })

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

  it('a plan has one open checkout for each account: a newer one replaces it, and its page is closed', async () => {
    const { shop, store, ada, eve, start, buy, local, accept } = await setUp()
    const [older, newer, others] = [await start(pass), await start(pass), await start(pass, eve)]
    expect(await shop.checkouts.read(ada, older)).toMatchObject({ status: 'cancelled', payment_status: 'unpaid' })
    expect(await shop.checkouts.history(ada, older)).toMatchObject({ items: [{}, {}, { event: 'cancelled' }] })
    expect(await store.settlements.countHeld('founding_pass')).toBe(2)
    expect(await codeOf(shop.checkouts.payment(ada, older, pages))).toBe('checkout_not_open')
    await shop.sweep()
    expect([older, newer, others].map((id) => local.pageOf(id)?.state)).toEqual(['closed', 'open', 'open'])
    const packs = [await start(pack), await start(pack)]
    for (const id of packs) expect((await shop.checkouts.read(ada, id)).status).toBe('open')
    // Both pages of a plan were paid before the first was closed.
    const [first, second] = [await start(pro), await start(pro)]
    const [paid, again] = [local.pay(first), local.pay(second)]
    await accept(paid)
    expect((await shop.checkouts.read(ada, second)).status).toBe('cancelled')
    expect(await shop.check()).toMatchObject([{ kind: 'event_missing' }])
    await accept(again)
    const told = await shop.check()
    expect(told).toMatchObject([{ kind: 'bought_twice' }])
    expect(told[0]?.text).toContain('pro_monthly')
    expect([first, second]).toContain(told[0]?.checkoutId)
    // One that was bought takes what the newer page holds: nobody loses a pass to a page of their own.
    await accept(local.pay(newer))
    await buy(pass, eve)
    expect(await shop.entitlements.of(eve.accountId)).toMatchObject({ planId: 'founding_pass' })
    expect(await codeOf(shop.checkouts.create(ada, pro))).toBe('already_bought')
  })

  it('a late payment takes what a newer page of the same buyer holds', async () => {
    const { shop, store, ada, eve, start, accept, local, clock } = await setUp()
    const grace = member((await account(store, 'grace')).id)
    const early = await start(pass)
    const paid = local.pay(early)
    await start(pass, eve)
    await start(pass, grace)
    clock.advance(30)
    const late = await start(pass)
    await start(pass, eve)
    await start(pass, grace)
    await accept(paid)
    expect(await shop.entitlements.of(ada.accountId)).toMatchObject({ planId: 'founding_pass' })
    expect((await shop.checkouts.read(ada, late)).status).toBe('cancelled')
    expect(await store.settlements.countHeld('founding_pass')).toBe(3)
    expect(await shop.check()).toMatchObject([])
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

  it('the offers of the tests are like those that are shipped', () => {
    expect(plans.map(({ id }) => id)).toEqual(['pro_monthly', 'founding_pass'])
    expect(creditPacks).toHaveLength(1)
  })
})
