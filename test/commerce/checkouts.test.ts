// Checkouts: how they are created, paid and ended, on SQLite and on a real PostgreSQL.

import { describe, expect, it } from 'vitest'
import type { Account } from '../../src/accounts/caller.ts'
import { isLabError } from '../../src/errors.ts'
import { createShop, creditPacks, member, pages, plans, receive, type Shop } from '../support/commerce.ts'
import type { Delivery } from '../support/payment-provider.ts'
import { codeOf, openShop, pack, pass, pro } from '../support/shop.ts'
import { account, usePostgres, useSqlite, useStores } from '../support/store.ts'

const { open } = useStores()
const newSqlite = useSqlite()
const { newPostgres } = usePostgres()

describe.each([
  ['SQLite', newSqlite],
  ['PostgreSQL', newPostgres],
])('checkouts on %s', (_name, newDatabase) => {
  const setUp = async () => {
    const database = await newDatabase()
    return { database, ...(await openShop(await open(database))) }
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

  it('the offers of the tests are like those that are shipped', () => {
    expect(plans.map(({ id }) => id)).toEqual(['pro_monthly', 'founding_pass'])
    expect(creditPacks).toHaveLength(1)
  })
})
