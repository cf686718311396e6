// A payment provider for tests, of the port in src/commerce/providers: pages, payments and subscriptions in memory, events that are
// really signed. What a test delivers of its events, how often and in which order, is the test's business.

import { randomBytes } from 'node:crypto'
import type {
  OpenedPayment,
  Order,
  PaymentEvent,
  PaymentProvider,
  ProviderPayment,
  ProviderSubscription,
} from '../../src/commerce/providers/provider.ts'
import { signBody, verifySignature } from '../../src/commerce/providers/webhook-signature.ts'
import { createId } from '../../src/ids.ts'

interface Page extends OpenedPayment {
  readonly order: Order
  state: 'open' | 'closed' | 'paid'
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/** An event without its id, its time and its mode. */
type Told = PaymentEvent extends infer Event ? (Event extends PaymentEvent ? Omit<Event, 'id' | 'createdAt' | 'live'> : never) : never

export interface Delivery {
  readonly id: string
  readonly event: PaymentEvent
  readonly body: Buffer
}

const dayMs = 24 * 3_600_000

export interface TestProviderOptions {
  readonly live?: boolean
  /** For a second process that verifies the same events. */
  readonly secret?: string
}

export const createTestProvider = (now: () => Date, options: TestProviderOptions = {}) => {
  const { live = false, secret = randomBytes(32).toString('hex') } = options
  const pages = new Map<string, Page>()
  const payments = new Map<string, Writable<ProviderPayment>>()
  const subscriptions = new Map<string, Writable<ProviderSubscription>>()
  const events: Delivery[] = []
  const customers: string[] = []

  const emit = (told: Told, changes: Partial<PaymentEvent> = {}): Delivery => {
    const event = { id: `evt_${createId()}`, createdAt: now().toISOString(), live, ...told, ...changes } as PaymentEvent
    const delivery = { id: event.id, event, body: Buffer.from(JSON.stringify(event)) }
    events.push(delivery)
    return delivery
  }

  const newPayment = (order: Order, subscription: string | null) => {
    const payment = `pay_${createId()}`
    const { amount, currency, checkoutId } = order
    payments.set(payment, {
      payment,
      checkoutId,
      subscription,
      amount,
      currency,
      refunded: 0,
      disputed: false,
      paidAt: now().toISOString(),
    })
    return { payment, amount, currency }
  }

  const orders = new Map<string, Order>()
  /** The open ones, by payment. */
  const disputes = new Map<string, string>()
  const nextPeriod = () => new Date(now().getTime() + 30 * dayMs).toISOString()
  const paymentOf = (payment: string) => payments.get(payment) as Writable<ProviderPayment>
  const subscriptionOf = (subscription: string) => subscriptions.get(subscription) as Writable<ProviderSubscription>
  const headersOf = ({ body }: Pick<Delivery, 'body'>, at = now()) => ({ 'lab-signature': signBody(body, secret, at) })

  const provider: PaymentProvider = {
    name: 'local',
    live,
    createCustomer: async () => {
      const customer = `cus_${createId()}`
      customers.push(customer)
      return customer
    },
    open: async (order) => {
      const known = pages.get(order.checkoutId)
      if (known !== undefined) {
        if (JSON.stringify(known.order) !== JSON.stringify(order)) throw new Error('the same page was asked for with another order')
        return { reference: known.reference, url: known.url }
      }
      const reference = `page_${createId()}`
      const page: Page = { reference, url: `https://pay.example/${reference}`, order, state: 'open' }
      pages.set(order.checkoutId, page)
      return { reference, url: page.url }
    },
    close: async (reference) => {
      const page = [...pages.values()].find((one) => one.reference === reference)
      if (page?.state === 'open') page.state = 'closed'
    },
    verify: (body, headers, at) => {
      verifySignature({ body, header: headers['lab-signature'], secrets: [secret], now: at })
      return async () => JSON.parse(body.toString()) as PaymentEvent
    },
    portalUrl: async (customer, returnUrl) => `https://pay.example/portal/${customer}?back=${encodeURIComponent(returnUrl)}`,
    endSubscription: async (subscription) => {
      if (subscriptionOf(subscription).status !== 'ended') endSubscription(subscription)
    },
    payments: async function* (since) {
      yield* [...payments.values()].filter(({ paidAt }) => paidAt >= since)
    },
    subscriptions: async function* () {
      yield* subscriptions.values()
    },
  }

  const endSubscription = (subscription: string): Delivery => {
    subscriptionOf(subscription).status = 'ended'
    return emit({ kind: 'subscription_ended', subscription, endedAt: now().toISOString() })
  }

  return {
    provider,
    /** All events so far. */
    events,
    /** All that it has made. */
    customers,
    payments,
    subscriptions,
    headersOf,
    emit,
    pageOf: (checkoutId: string): Page | undefined => pages.get(checkoutId),

    /** Pays the page of a checkout. Null when there is none that can be paid. */
    pay: (checkoutId: string, changes: object = {}): Delivery | null => {
      const page = pages.get(checkoutId)
      if (page?.state !== 'open') return null
      page.state = 'paid'
      const { order } = page
      const isSubscription = order.interval === 'month'
      const subscription = isSubscription ? `sub_${createId()}` : null
      const periodEnd = isSubscription ? nextPeriod() : null
      if (subscription !== null && periodEnd !== null) {
        subscriptions.set(subscription, { subscription, checkoutId, status: 'active', periodEnd })
        orders.set(subscription, order)
      }
      const paid = { ...newPayment(order, subscription), customer: order.customer, subscription, periodEnd }
      return emit({ kind: 'paid', checkoutId, offerId: order.offerId, ...paid }, changes)
    },

    /** Null for a subscription that has ended. */
    renew: (subscription: string): Delivery | null => {
      const order = orders.get(subscription) as Order
      const known = subscriptionOf(subscription)
      if (known.status === 'ended') return null
      known.status = 'active'
      known.periodEnd = new Date(Date.parse(known.periodEnd) + 30 * dayMs).toISOString()
      const paid = { ...newPayment(order, subscription), customer: order.customer, subscription, periodEnd: known.periodEnd }
      return emit({ kind: 'renewed', ...paid })
    },

    failRenewal: (subscription: string): Delivery => {
      subscriptionOf(subscription).status = 'past_due'
      return emit({ kind: 'renewal_failed', subscription })
    },

    failPayment: (checkoutId: string): Delivery => emit({ kind: 'payment_failed', checkoutId }),

    /** Null when it has ended before. */
    end: (subscription: string): Delivery | null =>
      subscriptionOf(subscription).status === 'ended' ? null : endSubscription(subscription),

    /** Refunds so much more of it, at most all. Null when nothing is left. */
    refund: (payment: string, amount = paymentOf(payment).amount): Delivery | null => {
      const known = paymentOf(payment)
      if (known.refunded === known.amount) return null
      known.refunded = Math.min(known.amount, known.refunded + amount)
      return emit({ kind: 'refunded', payment, refunded: known.refunded, currency: known.currency })
    },

    /** Null while another one is open, or one was lost. */
    dispute: (payment: string): Delivery | null => {
      if (paymentOf(payment).disputed) return null
      paymentOf(payment).disputed = true
      const dispute = `dis_${createId()}`
      disputes.set(payment, dispute)
      return emit({ kind: 'dispute_opened', payment, dispute })
    },

    /** Null when none is open. A dispute that was won is over; one that was lost stays. */
    decide: (payment: string, outcome: 'won' | 'lost'): Delivery | null => {
      const dispute = disputes.get(payment)
      if (dispute === undefined) return null
      disputes.delete(payment)
      paymentOf(payment).disputed = outcome === 'lost'
      return emit({ kind: 'dispute_closed', payment, dispute, outcome })
    },
  }
}

/** The event in a report, which is verified first. */
export const readEvent = async (provider: PaymentProvider, ...report: Parameters<PaymentProvider['verify']>) => provider.verify(...report)()

export type TestProvider = ReturnType<typeof createTestProvider>
