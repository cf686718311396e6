// What is special to the local provider: its events arrive in the end, across refusals and restarts, and two servers may share a store.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Clock, systemClock } from '../../src/clock.ts'
import { createLocalProvider, type LocalProvider } from '../../src/commerce/providers/local.ts'
import { createLog } from '../../src/log.ts'
import type { Store } from '../../src/store/store.ts'
import { readEvent } from '../support/payment-provider.ts'
import { usePostgres, useSqlite, useStores } from '../support/store.ts'
import { startWebhookEndpoint, type WebhookEndpoint } from '../support/webhook-endpoint.ts'
import { anOrder } from './provider.contract.ts'

const { open } = useStores()
const newSqlite = useSqlite()
const { newPostgres } = usePostgres()
const secret = 'a secret of the installation, long enough'
const monthly = { offerId: 'pro_monthly', name: 'Pro', amount: 2_900, interval: 'month' } as const

let endpoint: WebhookEndpoint
const started: LocalProvider[] = []
beforeEach(async () => {
  endpoint = await startWebhookEndpoint()
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((local) => local.stop()))
  await endpoint.close()
})

/** A clock whose pauses end when the test says so. */
const handClock = () => {
  const pauses: { readonly milliseconds: number; readonly end: () => void }[] = []
  const clock: Clock = {
    now: systemClock.now,
    sleep: (milliseconds, signal) =>
      new Promise((end, reject) => {
        pauses.push({ milliseconds, end })
        signal?.addEventListener('abort', () => reject(signal.reason as Error))
        if (signal?.aborted) reject(signal.reason as Error)
      }),
  }
  return { clock, pauses }
}

const startLocal = (store: Store, extra: Partial<Parameters<typeof createLocalProvider>[0]> = {}): LocalProvider => {
  const rootUrl = () => 'http://localhost:8080'
  const parts = { store: store.localPayments, secret, rootUrl, localUrl: () => endpoint.url, clock: systemClock, log: createLog('silent') }
  const local = createLocalProvider({ ...parts, ...extra })
  started.push(local)
  return local
}
const idsAt = ({ received }: WebhookEndpoint) => received.map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id)

describe('delivery', () => {
  it('goes to the path of the endpoint, with a signature that the provider itself accepts', async () => {
    const local = startLocal(await open(await newSqlite()))
    const { reference, url } = await local.provider.open(anOrder())
    expect(url).toBe(`http://localhost:8080/local-payments/${reference}`)
    await local.pages.pay(reference)
    await local.settle()
    expect(endpoint.received.map(({ path }) => path)).toEqual(['/webhooks/local'])
    const { body, headers } = endpoint.received[0] as (typeof endpoint.received)[0]
    expect(await readEvent(local.provider, body, headers, new Date())).toMatchObject({ kind: 'paid', live: false })
    const other = startLocal(await open(await newSqlite()), { secret: 'of another installation, long enough' })
    await expect(readEvent(other.provider, body, headers, new Date())).rejects.toMatchObject({ code: 'invalid_signature' })
  })

  it('is repeated, with longer pauses and a signature of that time, until it is taken', async () => {
    const { clock, pauses } = handClock()
    const local = startLocal(await open(await newSqlite()), { clock })
    const { reference } = await local.provider.open(anOrder())
    endpoint.answer(500)
    await local.pages.pay(reference)
    for (const count of [1, 2, 3, 4]) {
      await expect.poll(() => pauses.length).toBe(count)
      expect(endpoint.received).toHaveLength(count)
      if (count === 4) endpoint.answer(204)
      pauses.at(-1)?.end()
    }
    await local.settle()
    expect(pauses.map(({ milliseconds }) => milliseconds)).toEqual([1_000, 2_000, 4_000, 8_000])
    expect(new Set(idsAt(endpoint)).size).toBe(1)
    expect(endpoint.received).toHaveLength(5)
  })

  it('of a new event does not wait for the pause of one that is refused', async () => {
    const { clock, pauses } = handClock()
    const local = startLocal(await open(await newSqlite()), { clock })
    const [one, other] = [await local.provider.open(anOrder()), await local.provider.open(anOrder())]
    endpoint.answer(503)
    await local.pages.pay(one.reference)
    await expect.poll(() => pauses.length).toBe(1)
    endpoint.answer(200)
    await local.pages.pay(other.reference)
    await local.settle()
    expect(new Set(idsAt(endpoint)).size).toBe(2)
  })

  it('does not follow a redirect', async () => {
    const { clock, pauses } = handClock()
    const local = startLocal(await open(await newSqlite()), { clock })
    endpoint.answer(307)
    await local.pages.pay((await local.provider.open(anOrder())).reference)
    await expect.poll(() => pauses.length).toBe(1)
    expect(endpoint.received.map(({ path }) => path)).toEqual(['/webhooks/local'])
  })

  it('never leaves this machine', async () => {
    const { clock, pauses } = handClock()
    // Leads to the same endpoint, but is no address of this machine only.
    const localUrl = () => endpoint.url.replace('127.0.0.1', '0.0.0.0')
    const local = startLocal(await open(await newSqlite()), { clock, localUrl })
    await local.pages.pay((await local.provider.open(anOrder())).reference)
    await expect.poll(() => pauses.length).toBe(1)
    expect(endpoint.received).toEqual([])
  })

  it('goes on after a restart, with the same event', async () => {
    const database = await newSqlite()
    const first = startLocal(await open(database), { clock: handClock().clock })
    const { reference } = await first.provider.open(anOrder(monthly))
    endpoint.answer(500)
    await first.pages.pay(reference)
    await expect.poll(() => endpoint.received.length).toBeGreaterThan(0)
    await first.stop()
    const before = endpoint.received.length
    endpoint.answer(200)
    const second = startLocal(await open(database))
    second.start()
    await expect.poll(() => endpoint.received.length).toBe(before + 1)
    await second.settle()
    expect(new Set(idsAt(endpoint)).size).toBe(1)
    expect(await second.pages.read(reference)).toMatchObject({ status: 'paid', subscription: { status: 'active' } })
    const third = startLocal(await open(database))
    third.start()
    await third.settle()
    expect(endpoint.received).toHaveLength(before + 1)
  })
})

describe.each([
  ['SQLite', newSqlite],
  ['PostgreSQL', newPostgres],
])('two servers on one store on %s', (_name, newDatabase) => {
  it('open one page for a checkout, and take one payment for it', async () => {
    const database = await newDatabase()
    const locals = [startLocal(await open(database)), startLocal(await open(database))]
    const order = anOrder(monthly)
    const opened = await Promise.all([...locals, ...locals].map(({ provider }) => provider.open(order)))
    const references = new Set(opened.map(({ reference }) => reference))
    expect(references.size).toBe(1)
    const [reference] = references
    const tries = await Promise.allSettled([...locals, ...locals].map(({ pages }) => pages.pay(reference as string)))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await Promise.all(locals.map((local) => local.settle()))
    expect(new Set(idsAt(endpoint)).size).toBe(1)
  })

  it('refund no more than was paid', async () => {
    const database = await newDatabase()
    const locals = [startLocal(await open(database)), startLocal(await open(database))]
    const [first] = locals as [LocalProvider]
    const { reference } = await first.provider.open(anOrder({ amount: 1_000 }))
    await first.pages.pay(reference)
    const tries = [...locals, ...locals, ...locals].map(({ pages }) => pages.refund(reference, undefined, 400))
    expect((await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect((await first.pages.read(reference)).charges).toMatchObject([{ amount: 1_000, refunded: 800 }])
  })

  it('end a subscription of each other', async () => {
    const database = await newDatabase()
    const [one, other] = [startLocal(await open(database)), startLocal(await open(database))]
    const { reference } = await one.provider.open(anOrder(monthly))
    const { subscription } = await one.pages.pay(reference)
    await other.provider.endSubscription(subscription?.id ?? '')
    expect((await one.pages.read(reference)).subscription?.status).toBe('ended')
  })
})

describe('pages', () => {
  it('say what cannot be done, and change nothing', async () => {
    const local = startLocal(await open(await newSqlite()))
    const { pages } = local
    const { reference } = await local.provider.open(anOrder())
    const refused = expect.objectContaining({ code: 'invalid_request' })
    for (const work of [pages.refund, pages.openDispute, pages.renew, pages.failRenewal, pages.endSubscription])
      await expect(work(reference)).rejects.toEqual(refused)
    await pages.pay(reference)
    for (const work of [pages.pay, pages.decline, pages.renew]) await expect(work(reference)).rejects.toEqual(refused)
    for (const amount of [0, -1, 0.5, 24_901, Number.NaN]) await expect(pages.refund(reference, undefined, amount)).rejects.toEqual(refused)
    await expect(pages.refund(reference, 'another payment')).rejects.toEqual(refused)
    await expect(pages.closeDispute(reference, 'won')).rejects.toEqual(refused)
    await expect(pages.pay('unknown')).rejects.toMatchObject({ code: 'not_found' })
    await expect(pages.read('unknown')).rejects.toMatchObject({ code: 'not_found' })
    await local.settle()
    expect(idsAt(endpoint)).toHaveLength(1)
  })

  it('show a customer what was paid, and nobody else', async () => {
    const local = startLocal(await open(await newSqlite()))
    const [one, other] = [await local.provider.open(anOrder()), await local.provider.open(anOrder({ customer: 'other' }))]
    const { customer } = await local.pages.read(one.reference)
    const { reference } = await local.provider.open(anOrder({ customer }))
    expect((await local.pages.ofCustomer(customer)).map((payment) => payment.reference).sort()).toEqual([one.reference, reference].sort())
    expect((await local.pages.read(other.reference)).customer).not.toBe(customer)
    expect(await local.pages.ofCustomer('unknown')).toEqual([])
  })
})
