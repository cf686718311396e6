// What every payment provider does, whatever is behind it. The events come over HTTP, from the provider to an endpoint.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Order, PaymentEvent, PaymentProvider } from '../../src/commerce/providers/provider.ts'
import { isLabError } from '../../src/errors.ts'
import { createId } from '../../src/ids.ts'
import { readEvent } from '../support/payment-provider.ts'
import { knownCustomer } from '../support/stripe-objects.ts'

export interface ProviderUnderTest {
  readonly provider: PaymentProvider
  /** What a person, a bank or the time does; by the reference of the page. */
  readonly act: {
    pay(reference: string): Promise<unknown>
    decline(reference: string): Promise<unknown>
    renew(reference: string): Promise<unknown>
    failRenewal(reference: string): Promise<unknown>
    endSubscription(reference: string): Promise<unknown>
    refund(reference: string, payment: string, amount?: number): Promise<unknown>
    openDispute(reference: string, payment: string): Promise<unknown>
    closeDispute(reference: string, payment: string, outcome: 'won' | 'lost'): Promise<unknown>
  }
  /** The requests that arrived since the last call. */
  arrived(): Promise<readonly { readonly body: Buffer; readonly headers: Record<string, string | string[] | undefined> }[]>
  /** The headers of a request with these bytes, from somebody who knows the secret. */
  sign(body: Buffer, at: Date): Record<string, string>
  close(): Promise<void>
}

export const anOrder = (extra: Partial<Order> = {}): Order => ({
  checkoutId: createId(),
  accountId: createId(),
  offerId: 'founding_pass',
  name: 'Founding pass',
  amount: 24_900,
  currency: 'usd',
  interval: 'once',
  expiresAt: new Date(Date.now() + 30 * 60_000).toISOString(),
  returnUrl: 'http://localhost:8080/checkout/return',
  cancelUrl: 'http://localhost:8080/checkout/cancel',
  customer: knownCustomer,
  ...extra,
})
const monthly = { offerId: 'pro_monthly', name: 'Pro', amount: 2_900, interval: 'month' } as const

const ofKind = <Kind extends PaymentEvent['kind']>(events: readonly PaymentEvent[], kind: Kind) =>
  events.filter((event): event is Extract<PaymentEvent, { kind: Kind }> => event.kind === kind)

/** The only one that means something. */
const theOnly = <Kind extends PaymentEvent['kind']>(events: readonly PaymentEvent[], kind: Kind) => {
  expect(events.map((event) => event.kind).filter((other) => other !== 'ignored')).toEqual([kind])
  return ofKind(events, kind)[0] as Extract<PaymentEvent, { kind: Kind }>
}

const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}

export const describeProvider = (name: string, create: () => Promise<ProviderUnderTest>) => {
  describe(name, () => {
    let tested: ProviderUnderTest
    beforeAll(async () => {
      tested = await create()
    })
    afterAll(() => tested.close())

    const events = async (): Promise<PaymentEvent[]> => {
      const requests = await tested.arrived()
      return Promise.all(requests.map(({ body, headers }) => readEvent(tested.provider, body, headers, new Date())))
    }
    const paidOrder = async (extra: Partial<Order> = {}) => {
      const order = anOrder(extra)
      const { reference } = await tested.provider.open(order)
      await tested.act.pay(reference)
      return { order, reference, paid: theOnly(await events(), 'paid') }
    }

    it('opens one page for a checkout, however often and however many at once ask', async () => {
      const order = anOrder()
      const pages = await Promise.all(Array.from({ length: 5 }, () => tested.provider.open(order)))
      const again = await tested.provider.open(order)
      expect(new Set([...pages, again].map(({ reference }) => reference)).size).toBe(1)
      expect(new Set([...pages, again].map(({ url }) => url)).size).toBe(1)
      expect(again.url).toMatch(/^http:\/\/.+\/.+/)
      expect((await tested.provider.open(anOrder())).reference).not.toBe(again.reference)
    })

    it('reports a payment once, with what was ordered', async () => {
      const { order, paid } = await paidOrder()
      const { checkoutId, offerId, amount, currency } = order
      expect(paid).toMatchObject({ checkoutId, offerId, amount, currency, subscription: null, periodEnd: null, live: false })
      expect(paid.customer).not.toBeNull()
      expect(Math.abs(Date.parse(paid.createdAt) - Date.now())).toBeLessThan(60 * 60_000)
      expect(tested.provider.live).toBe(false)
    })

    it('reports the first payment of a subscription with its period', async () => {
      const { order, paid } = await paidOrder(monthly)
      expect(paid).toMatchObject({ checkoutId: order.checkoutId, offerId: 'pro_monthly', amount: 2_900, currency: 'usd' })
      expect(paid.subscription).not.toBeNull()
      const days = (Date.parse(paid.periodEnd as string) - Date.parse(paid.createdAt)) / (24 * 60 * 60_000)
      expect(Math.round(days)).toBeGreaterThanOrEqual(28)
      expect(Math.round(days)).toBeLessThanOrEqual(31)
    })

    it('makes a customer for an account, whose payments and subscriptions it has from then on', async () => {
      const [customer, other] = [await tested.provider.createCustomer(createId()), await tested.provider.createCustomer(createId())]
      expect(customer).not.toBe(other)
      for (const extra of [{}, {}, monthly]) expect((await paidOrder({ ...extra, customer })).paid.customer).toBe(customer)
    })

    it('reports renewals, failed ones and the end', async () => {
      const { reference, paid } = await paidOrder(monthly)
      await tested.act.renew(reference)
      const renewed = theOnly(await events(), 'renewed')
      expect(renewed).toMatchObject({ subscription: paid.subscription, amount: 2_900, currency: 'usd', customer: paid.customer })
      expect(renewed.payment).not.toBe(paid.payment)
      expect(Date.parse(renewed.periodEnd as string)).toBeGreaterThan(Date.parse(paid.periodEnd as string))
      await tested.act.failRenewal(reference)
      expect(theOnly(await events(), 'renewal_failed').subscription).toBe(paid.subscription)
      await tested.act.renew(reference)
      expect(theOnly(await events(), 'renewed').payment).not.toBe(renewed.payment)
      await tested.act.endSubscription(reference)
      expect(theOnly(await events(), 'subscription_ended').subscription).toBe(paid.subscription)
    })

    it('reports a payment that was declined', async () => {
      const order = anOrder()
      const { reference } = await tested.provider.open(order)
      await tested.act.decline(reference)
      expect(theOnly(await events(), 'payment_failed').checkoutId).toBe(order.checkoutId)
    })

    it.each([
      ['once', {}],
      ['each month', monthly],
    ])('reports refunds and disputes of what is paid %s under the name of the payment', async (_name, extra) => {
      const { reference, paid } = await paidOrder(extra)
      const { payment, amount, currency } = paid
      await tested.act.refund(reference, payment, 900)
      expect(theOnly(await events(), 'refunded')).toMatchObject({ payment, refunded: 900, currency })
      await tested.act.refund(reference, payment)
      expect(theOnly(await events(), 'refunded')).toMatchObject({ payment, refunded: amount, currency })
      for (const outcome of ['won', 'lost'] as const) {
        const other = await paidOrder(extra)
        await tested.act.openDispute(other.reference, other.paid.payment)
        const opened = theOnly(await events(), 'dispute_opened')
        expect(opened.payment).toBe(other.paid.payment)
        await tested.act.closeDispute(other.reference, other.paid.payment, outcome)
        expect(theOnly(await events(), 'dispute_closed')).toMatchObject({ payment: other.paid.payment, dispute: opened.dispute, outcome })
      }
    })

    it('names a refund of a renewal by the renewal', async () => {
      const { reference, paid } = await paidOrder(monthly)
      await tested.act.renew(reference)
      const { payment } = theOnly(await events(), 'renewed')
      await tested.act.refund(reference, payment)
      const { payment: refunded } = theOnly(await events(), 'refunded')
      expect(refunded).toBe(payment)
      expect(refunded).not.toBe(paid.payment)
    })

    it('closes a page, and does not mind one that is closed, paid or unknown', async () => {
      const { reference } = await tested.provider.open(anOrder())
      await tested.provider.close(reference)
      await tested.provider.close(reference)
      await expect(async () => tested.act.pay(reference)).rejects.toThrow()
      expect((await events()).filter(({ kind }) => kind !== 'ignored')).toEqual([])
      await tested.provider.close((await paidOrder()).reference)
      await tested.provider.close('unknown')
    })

    it('ends a subscription, once, and does not mind one that is unknown', async () => {
      const { paid } = await paidOrder(monthly)
      const subscription = paid.subscription as string
      await tested.provider.endSubscription(subscription)
      expect(theOnly(await events(), 'subscription_ended').subscription).toBe(subscription)
      await tested.provider.endSubscription(subscription)
      await tested.provider.endSubscription('unknown')
      expect((await events()).filter(({ kind }) => kind !== 'ignored')).toEqual([])
    })

    it('has a page for customers', async () => {
      const { paid } = await paidOrder()
      expect(await tested.provider.portalUrl(paid.customer as string, 'http://localhost:8080/account')).toMatch(/^http:\/\//)
    })

    it('lists payments and subscriptions as they are now', async () => {
      const [once, kept, ended] = [await paidOrder(), await paidOrder(monthly), await paidOrder(monthly)]
      await tested.act.renew(kept.reference)
      const renewed = theOnly(await events(), 'renewed')
      await tested.act.refund(once.reference, once.paid.payment, 100)
      await tested.act.openDispute(kept.reference, kept.paid.payment)
      await tested.act.endSubscription(ended.reference)
      await events()
      const past = new Date(Date.now() - 60 * 60_000).toISOString()
      const payments = await collect(tested.provider.payments(past))
      const of = (payment: string) => payments.filter((one) => one.payment === payment)
      const { checkoutId } = once.order
      expect(of(once.paid.payment)).toMatchObject([{ checkoutId, subscription: null, amount: 24_900, refunded: 100, disputed: false }])
      const { subscription } = kept.paid
      expect(of(kept.paid.payment)).toMatchObject([{ checkoutId: kept.order.checkoutId, subscription, refunded: 0, disputed: true }])
      expect(of(renewed.payment)).toMatchObject([{ checkoutId: kept.order.checkoutId, subscription, amount: 2_900, disputed: false }])
      const subscriptions = await collect(tested.provider.subscriptions())
      const found = (name: string | null) => subscriptions.filter((one) => one.subscription === name)
      expect(found(subscription)).toEqual([
        { subscription, checkoutId: kept.order.checkoutId, status: 'active', periodEnd: renewed.periodEnd },
      ])
      expect(found(ended.paid.subscription)).toMatchObject([{ status: 'ended' }])
      expect(await collect(tested.provider.payments(new Date(Date.now() + 60 * 60_000).toISOString()))).toEqual([])
    })

    describe('a request', () => {
      const one = async () => {
        const { reference } = await tested.provider.open(anOrder())
        await tested.act.pay(reference)
        const [request] = (await tested.arrived()).slice(-1)
        if (request === undefined) throw new Error('nothing arrived')
        return request
      }
      const refusal = expect.objectContaining({ code: 'invalid_signature' })

      it('says the same whenever it arrives again', async () => {
        const { body, headers } = await one()
        const read = () => readEvent(tested.provider, body, headers, new Date())
        expect(await read()).toEqual(await read())
      })

      it('is refused with other bytes, another time, or no signature', async () => {
        const { body, headers } = await one()
        const now = new Date()
        const minutes = (by: number) => new Date(now.getTime() + by * 60_000)
        const text = body.toString()
        const others = [text.slice(0, -1), `${text}\n`, text.replace('paid', 'Paid'), JSON.stringify(JSON.parse(text), null, 4), '']
        for (const other of others) await expect(readEvent(tested.provider, Buffer.from(other), headers, now)).rejects.toEqual(refusal)
        for (const at of [minutes(6), minutes(-6)]) await expect(readEvent(tested.provider, body, headers, at)).rejects.toEqual(refusal)
        await expect(readEvent(tested.provider, body, {}, now)).rejects.toEqual(refusal)
        await expect(readEvent(tested.provider, body, tested.sign(body, minutes(6)), now)).rejects.toEqual(refusal)
        await expect(readEvent(tested.provider, body, tested.sign(body, minutes(4)), now)).resolves.toBeDefined()
      })

      it('that is signed and cannot be read is an error of its own, whatever it is', async () => {
        const now = new Date()
        const read = async (body: Buffer) => {
          try {
            return await readEvent(tested.provider, body, tested.sign(body, now), now)
          } catch (error) {
            expect(isLabError(error, 'unreadable_event')).toBe(true)
            return null
          }
        }
        for (const text of ['', '{', 'null', '[]', '{}', '"text"', '\ufeff{}', '{"id":1}']) expect(await read(Buffer.from(text))).toBeNull()
        expect(await read(Buffer.from([0xff, 0xfe]))).toBeNull()
        expect(await read(Buffer.from('['.repeat(100_000)))).toBeNull()
        const { body } = await one()
        const event = JSON.parse(body.toString()) as object
        await fc.assert(
          fc.asyncProperty(fc.constantFrom(...Object.keys(event)), fc.jsonValue(), async (field, value) => {
            await read(Buffer.from(JSON.stringify({ ...event, [field]: value })))
          }),
        )
      })
    })
  })
}
