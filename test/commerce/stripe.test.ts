// Stripe by its official library, against a local server that speaks its API: what is special to it, and what happens when it is in trouble.

import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { PaymentEvent, PaymentProvider } from '../../src/commerce/providers/provider.ts'
import { createStripeProvider } from '../../src/commerce/providers/stripe.ts'
import { stripeEventTypes } from '../../src/commerce/providers/stripe-events.ts'
import { LabError } from '../../src/errors.ts'
import { readEvent } from '../support/payment-provider.ts'
import type { StripeEvent } from '../support/stripe-objects.ts'
import { type StripeServer, secretKey, startStripeServer, webhookSecret } from '../support/stripe-server.ts'
import { startWebhookEndpoint } from '../support/webhook-endpoint.ts'
import { anOrder } from './provider.contract.ts'

const logged: string[] = []
const log = pino(
  { level: 'trace' },
  new Writable({
    write: (chunk, _encoding, done) => {
      logged.push(String(chunk))
      done()
    },
  }),
)
const timeoutMs = 250

let server: StripeServer
let provider: PaymentProvider
const create = (extra: object = {}) =>
  createStripeProvider({ apiUrl: server.url, secretKey, webhookSecrets: [webhookSecret], clock: systemClock, log, timeoutMs, ...extra })
beforeEach(async () => {
  server = await startStripeServer()
  provider = create()
  logged.length = 0
})
afterEach(() => server.close())

const read = (event: StripeEvent | string, how: Parameters<StripeServer['signed']>[1] = {}): Promise<PaymentEvent> => {
  const { body, headers } = server.signed(event, how)
  return readEvent(provider, body, headers, new Date())
}
const readAll = (events: readonly StripeEvent[] = server.events) => Promise.all(events.map((event) => read(event)))
const meaningful = (events: readonly PaymentEvent[]) => events.filter(({ kind }) => kind !== 'ignored')
const monthly = { offerId: 'pro_monthly', name: 'Pro', amount: 2_900, interval: 'month' } as const

describe('a page', () => {
  it('is asked for with the key of the checkout, one version of the API, and the price', async () => {
    const order = anOrder(monthly)
    await provider.open(order)
    const [asked] = server.asked
    expect(asked?.headers).toMatchObject({
      ...{ 'idempotency-key': order.checkoutId, 'stripe-version': '2026-10-28.endive', authorization: `Bearer ${secretKey}` },
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(asked?.headers).not.toHaveProperty('x-stripe-client-telemetry')
    const metadata = { incident_lab_checkout: order.checkoutId, incident_lab_offer: 'pro_monthly' }
    expect(asked?.params).toMatchObject({
      ...{ mode: 'subscription', client_reference_id: order.checkoutId, metadata, subscription_data: { metadata } },
      ...{ success_url: order.returnUrl, cancel_url: order.cancelUrl },
      line_items: { 0: { quantity: '1', price_data: { currency: 'usd', unit_amount: '2900', recurring: { interval: 'month' } } } },
    })
    expect(JSON.stringify(asked?.params)).not.toContain(order.accountId)
  })

  it('is asked for in the same words at the end of the checkout as at its beginning', async () => {
    const order = anOrder({ expiresAt: new Date(Date.now() + 5_000).toISOString() })
    const first = await provider.open(order)
    const later = create({ clock: { ...systemClock, now: () => new Date(Date.now() + 4_000) } })
    expect(await later.open(order)).toEqual(first)
  })

  it('is not opened twice for a checkout that has changed', async () => {
    const order = anOrder()
    await provider.open(order)
    await expect(provider.open({ ...order, amount: 1 })).rejects.toMatchObject({ code: 'payment_provider_unavailable' })
    expect(server.tables.sessions.size).toBe(1)
  })

  it('is opened for a new customer when the old one was deleted at Stripe', async () => {
    const customer = server.newCustomer()
    server.tables.customers.delete(customer)
    const order = anOrder({ customer })
    const { reference } = await provider.open(order)
    expect(await provider.open(order)).toMatchObject({ reference })
    server.pay(reference)
    const [paid] = meaningful(await readAll())
    expect(paid).toMatchObject({ kind: 'paid', checkoutId: order.checkoutId })
    expect(paid).not.toMatchObject({ customer })
  })
})

describe('events', () => {
  it('of all the types that are read are those that an endpoint is registered for', () => {
    expect(stripeEventTypes).toHaveLength(9)
  })

  it('of a delayed payment count when it has arrived', async () => {
    const { reference } = await provider.open(anOrder())
    server.pay(reference, { isDelayed: true })
    expect(meaningful(await readAll(server.events.splice(0)))).toEqual([])
    server.conclude(reference, true)
    expect(meaningful(await readAll())).toMatchObject([{ kind: 'paid', amount: 24_900 }])
  })

  it('of other business on the same account are ignored', async () => {
    server.otherBusiness()
    const events = await readAll()
    expect(events.map(({ kind }) => kind)).toEqual(events.map(() => 'ignored'))
    expect(events.length).toBeGreaterThan(7)
  })

  it('of unknown types are ignored, whatever they hold', async () => {
    const event = server.report('plant.watered', { id: 'x', litres: { many: [1, null] } }, { api_version: '2019-01-01' })
    expect(await read(event)).toMatchObject({ kind: 'ignored', type: 'plant.watered', id: event.id })
  })

  it('arrive twice, late and in any order over HTTP, and each says the same as before', async () => {
    const endpoint = await startWebhookEndpoint()
    try {
      const { reference } = await provider.open(anOrder(monthly))
      const { subscription } = server.pay(reference)
      server.renew(subscription as string)
      server.endSubscription(subscription as string)
      const shuffled = [...server.events, ...server.events].reverse()
      const statuses = await server.deliver(endpoint.url, shuffled, { at: new Date(Date.now() - 240_000) })
      expect(statuses).toEqual(shuffled.map(() => 200))
      const events = await Promise.all(endpoint.received.map(({ body, headers }) => readEvent(provider, body, headers, new Date())))
      const kinds = ['subscription_ended', 'renewed', 'paid']
      expect(meaningful(events).map(({ kind }) => kind)).toEqual([...kinds, ...kinds])
      expect(new Set(meaningful(events).map(({ id }) => id)).size).toBe(3)
    } finally {
      await endpoint.close()
    }
  })

  it('are accepted under the old and the new secret while it is changed', async () => {
    const event = server.report('plant.watered', {})
    const changing = create({ webhookSecrets: ['whsec_the_next_one_of_all', webhookSecret] })
    for (const secret of ['whsec_the_next_one_of_all', webhookSecret]) {
      const { body, headers } = server.signed(event, { secret })
      expect(await readEvent(changing, body, headers, new Date())).toMatchObject({ kind: 'ignored' })
    }
    await expect(read(event, { secret: 'whsec_the_next_one_of_all' })).rejects.toMatchObject({ code: 'invalid_signature' })
  })

  const paidEvent = async (extra = {}) => {
    const { reference } = await provider.open(anOrder(extra))
    server.pay(reference)
    const type = 'interval' in extra ? 'invoice.paid' : 'checkout.session.completed'
    return server.events.find((event) => event.type === type) as StripeEvent & { data: { object: Record<string, unknown> } }
  }
  const unreadable = expect.objectContaining({ code: 'unreadable_event' })

  it('of an older version of the API are an error that says so', async () => {
    const event = await paidEvent(monthly)
    for (const api_version of ['2024-06-20', null, undefined]) {
      await expect(read({ ...event, api_version })).rejects.toMatchObject({
        ...{ code: 'unreadable_event', message: expect.stringContaining('api_version') },
      })
    }
    expect(await read({ ...event, api_version: '2025-03-31.basil' })).toMatchObject({ kind: 'paid' })
  })

  it.each([
    ['no amount', {}, { amount_total: undefined }],
    ['an amount that is not whole', {}, { amount_total: 1.5 }],
    ['a negative amount', {}, { amount_total: -1 }],
    ['no currency', {}, { currency: null }],
    ['another reference', {}, { client_reference_id: 'another' }],
    ['an unknown state of payment', {}, { payment_status: 'perhaps' }],
    ['no period', monthly, { lines: { data: [] } }],
    ['a period beyond all time', monthly, { lines: { data: [{ period: { end: 1e18 } }] } }],
    ['no id', monthly, { id: undefined }],
  ])('of ours with %s are an error that is logged, without values', async (_name, extra, changed) => {
    const event = await paidEvent(extra)
    const broken = { ...event, data: { object: { ...event.data.object, ...changed } } }
    await expect(read(broken)).rejects.toEqual(unreadable)
    expect(logged.join('')).toMatch(/a signed event cannot be read/)
    expect(logged.join('')).not.toContain(String(event.data.object.client_reference_id ?? event.data.object.id))
  })

  it('of subscriptions for other reasons than a period are ignored', async () => {
    const event = await paidEvent(monthly)
    for (const billing_reason of ['manual', 'subscription_update', null]) {
      expect(await read({ ...event, data: { object: { ...event.data.object, billing_reason } } })).toMatchObject({ kind: 'ignored' })
    }
  })

  it('of refunds that Stripe must be asked about wait while it does not answer', async () => {
    const { reference } = await provider.open(anOrder(monthly))
    const session = server.pay(reference)
    server.refund(session.invoice as string)
    const refunded = server.events.at(-1) as StripeEvent
    server.have(500)
    await expect(read(refunded)).rejects.toMatchObject({ code: 'payment_provider_unavailable' })
    server.have(null)
    expect(await read(refunded)).toMatchObject({ kind: 'refunded', payment: session.invoice, refunded: 2_900 })
  })

  it('cost no request unless their signature is right', async () => {
    const { reference } = await provider.open(anOrder(monthly))
    server.refund(server.pay(reference).invoice as string)
    const before = server.asked.length
    await expect(read(server.events.at(-1) as StripeEvent, { secret: 'whsec_of_somebody_else' })).rejects.toMatchObject({
      code: 'invalid_signature',
    })
    expect(server.asked.length).toBe(before)
  })
})

describe('trouble', () => {
  const operations: [string, () => Promise<unknown>][] = [
    ['open', () => provider.open(anOrder())],
    ['close', () => provider.close('cs_test_1')],
    ['portalUrl', () => provider.portalUrl('cus_1', 'http://localhost/')],
    ['endSubscription', () => provider.endSubscription('sub_1')],
    ['payments', async () => (await Array.fromAsync(provider.payments(new Date(0).toISOString()))).length],
    ['subscriptions', async () => (await Array.fromAsync(provider.subscriptions())).length],
  ]
  const troubles = ['hang', 'trickle', 'drop', 'garbage', 500, 503, 429, 401, 403] as const

  /** All that an error carries, as a log or a debugger would show it. */
  const everythingIn = (error: unknown): string => {
    const told = error as Error & { cause?: unknown }
    return [String(told), JSON.stringify(told), told.stack, told.cause === undefined ? '' : everythingIn(told.cause)].join('\n')
  }

  it.each(troubles)('of kind %s is an error of ours after a few attempts, and tells no key', async (trouble) => {
    server.have(trouble)
    const errors = await Promise.all(operations.map(([, work]) => work().catch((thrown: unknown) => thrown)))
    for (const [index, error] of errors.entries()) {
      const [name] = operations[index] as (typeof operations)[0]
      expect(error, name).toBeInstanceOf(LabError)
      expect(error, name).toMatchObject({ code: 'payment_provider_unavailable', retryAfterSeconds: expect.any(Number) })
      expect(everythingIn(error), name).not.toContain(secretKey)
    }
    expect(server.asked.length).toBeLessThanOrEqual(3 * operations.length)
    expect(logged.join('')).not.toContain(secretKey)
  })

  it('when nobody listens is the same', async () => {
    await server.close()
    const error: unknown = await provider.open(anOrder()).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'payment_provider_unavailable' })
    expect(everythingIn(error)).not.toContain(secretKey)
    server = await startStripeServer()
  })

  it('with the key is the same', async () => {
    const error: unknown = await create({ secretKey: 'sk_test_of_somebody_else' })
      .open(anOrder())
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'payment_provider_unavailable' })
    expect(everythingIn(error)).not.toContain('sk_test_of_somebody_else')
  })

  it('that passes leaves one page: what was asked in vain is asked again under the same key', async () => {
    const order = anOrder()
    server.have('drop')
    await expect(provider.open(order)).rejects.toMatchObject({ code: 'payment_provider_unavailable' })
    server.have(null)
    await provider.open(order)
    await provider.open(order)
    expect(server.tables.sessions.size).toBe(1)
  })
})

it('reads every page of a long list', async () => {
  const orders = Array.from({ length: 120 }, () => anOrder())
  for (const order of orders) server.pay((await provider.open(order)).reference)
  server.otherBusiness()
  const listed = await Array.fromAsync(provider.payments(new Date(0).toISOString()))
  expect(listed.map(({ checkoutId }) => checkoutId).sort()).toEqual(orders.map(({ checkoutId }) => checkoutId).sort())
})

it('counts a dispute that was won as none', async () => {
  const { reference } = await provider.open(anOrder())
  const { payment_intent: payment } = server.pay(reference)
  const dispute = server.openDispute(payment as string)
  const isDisputed = async () => (await Array.fromAsync(provider.payments(new Date(0).toISOString())))[0]?.disputed
  expect(await isDisputed()).toBe(true)
  for (const [status, expected] of [
    ['won', false],
    ['lost', true],
    ['warning_closed', false],
    ['under_review', true],
  ] as const) {
    server.closeDispute(dispute, status)
    expect(await isDisputed()).toBe(expected)
  }
})

it('knows by its key whether money is real', () => {
  expect(provider.live).toBe(false)
  expect(['sk_live_0123456789', 'rk_live_0123456789', 'rk_test_live_6789'].map((key) => create({ secretKey: key }).live)).toEqual([
    ...[true, true, false],
  ])
})
