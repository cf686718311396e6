// What a local Stripe keeps, in the shapes of its API version 2026-10-28, and what its customers and banks do: each makes the events that
// Stripe would send, those that nobody here needs included.

import { createId } from '../../src/ids.ts'

export type StripeObject = Record<string, unknown> & { readonly id: string }
export interface StripeEvent extends StripeObject {
  readonly type: string
}

export interface SessionParams {
  readonly mode: 'payment' | 'subscription'
  readonly amount: number
  readonly currency: string
  readonly customer: string | null
  readonly makesCustomer: boolean
  /** Of the session, and of what is made when it is paid. */
  readonly metadata: Readonly<Record<string, string>>
  readonly madeMetadata: Readonly<Record<string, string>>
  readonly clientReferenceId: string | null
  readonly expiresAt: number
  readonly returnUrl: string
}

export const apiVersion = '2026-10-28.endive'
const month = 30 * 24 * 60 * 60

/** A customer that is there from the beginning. */
export const knownCustomer = 'cus_known'

export const createStripeObjects = (now: () => Date, pageUrl: (session: string) => string) => {
  const seconds = () => Math.floor(now().getTime() / 1000)
  const tables = {
    sessions: new Map<string, StripeObject>(),
    customers: new Map<string, StripeObject>([[knownCustomer, { id: knownCustomer, object: 'customer' }]]),
    subscriptions: new Map<string, StripeObject>(),
    invoices: new Map<string, StripeObject>(),
    invoicePayments: new Map<string, StripeObject>(),
    charges: new Map<string, StripeObject>(),
    disputes: new Map<string, StripeObject>(),
  }
  const madeMetadataOf = new Map<string, Readonly<Record<string, string>>>()
  const events: StripeEvent[] = []

  const put = (table: Map<string, StripeObject>, prefix: string, fields: Record<string, unknown>): StripeObject => {
    const object = { id: `${prefix}_${createId()}`, created: seconds(), livemode: false, ...fields }
    table.set(object.id, object)
    return object
  }
  const need = (table: Map<string, StripeObject>, id: string): StripeObject => {
    const found = table.get(id)
    if (found === undefined) throw new Error(`there is no ${id}`)
    return found
  }
  const report = (type: string, object: unknown, extra: Record<string, unknown> = {}): StripeEvent => {
    const data = { object: structuredClone(object) }
    const common = { object: 'event', api_version: apiVersion, created: seconds(), livemode: false, pending_webhooks: 1 }
    const event = { id: `evt_${createId()}`, ...common, request: { id: null, idempotency_key: null }, type, data, ...extra }
    events.push(event)
    return event
  }

  const charge = (fields: { amount: unknown; currency: unknown; customer: unknown; metadata: object; status?: string }): StripeObject =>
    put(tables.charges, 'ch', {
      ...{
        object: 'charge',
        amount_captured: fields.amount,
        amount_refunded: 0,
        captured: true,
        disputed: false,
        paid: true,
        refunded: false,
      },
      ...{ payment_intent: `pi_${createId()}`, status: 'succeeded', ...fields, metadata: { ...fields.metadata } },
    })

  /** The invoice of one period, with its charge when it is paid. */
  const bill = (subscription: StripeObject, billing_reason: string, isPaid: boolean): StripeObject => {
    const { customer, currency, amount, metadata } = subscription
    const [item] = (subscription.items as { data: { current_period_end: number }[] }).data
    const start = billing_reason === 'subscription_create' ? seconds() : (item?.current_period_end ?? 0)
    const period = { start, end: start + month }
    const line = { id: `il_${createId()}`, object: 'line_item', amount, currency, period, parent: { type: 'subscription_item_details' } }
    const parent = { type: 'subscription_details', quote_details: null, subscription_details: { metadata, subscription: subscription.id } }
    const invoice = put(tables.invoices, 'in', {
      ...{ object: 'invoice', billing_reason, currency, customer, parent, amount_due: amount, amount_paid: isPaid ? amount : 0 },
      ...{ status: isPaid ? 'paid' : 'open', lines: { object: 'list', data: [line], has_more: false } },
    })
    if (!isPaid) {
      subscription.status = 'past_due'
      report('invoice.payment_failed', invoice)
      return invoice
    }
    Object.assign(subscription, { status: 'active', items: { object: 'list', data: [{ id: 'si_1', current_period_end: period.end }] } })
    const { payment_intent, ...made } = charge({ amount, currency, customer, metadata: {} })
    const payment = { type: 'payment_intent', payment_intent }
    const link = put(tables.invoicePayments, 'inpay', {
      ...{ object: 'invoice_payment', amount_paid: amount, currency, invoice: invoice.id, payment, status: 'paid' },
    })
    report('charge.succeeded', { ...made, payment_intent })
    report('invoice_payment.paid', link)
    report('invoice.paid', invoice)
    return invoice
  }

  const subscribe = (session: StripeObject, customer: string): StripeObject => {
    const { amount_total: amount, currency } = session
    const subscription = put(tables.subscriptions, 'sub', {
      ...{ object: 'subscription', status: 'active', customer, amount, currency, ended_at: null, canceled_at: null },
      ...{ metadata: madeMetadataOf.get(session.id), items: { object: 'list', data: [] } },
    })
    report('customer.subscription.created', subscription)
    return subscription
  }

  /** The charge of a payment as this service calls it: a payment intent, or an invoice. */
  const chargeOf = (payment: string): StripeObject => {
    const links = [...tables.invoicePayments.values()]
    const link = links.find(({ invoice }) => invoice === payment)?.payment as { payment_intent: string } | undefined
    const intent = link?.payment_intent ?? payment
    const found = [...tables.charges.values()].find(({ payment_intent }) => payment_intent === intent)
    if (found === undefined) throw new Error(`nothing was charged for ${payment}`)
    return found
  }

  return {
    tables,
    events,
    report,

    openSession: (params: SessionParams): StripeObject => {
      const { mode, amount, currency, customer, metadata, clientReferenceId, expiresAt, returnUrl } = params
      const session = put(tables.sessions, 'cs_test', {
        ...{ object: 'checkout.session', mode, amount_subtotal: amount, amount_total: amount, currency, customer, metadata },
        ...{ client_reference_id: clientReferenceId, expires_at: expiresAt, success_url: returnUrl, makesCustomer: params.makesCustomer },
        ...{ status: 'open', payment_status: 'unpaid', payment_intent: null, subscription: null, invoice: null },
      })
      madeMetadataOf.set(session.id, params.madeMetadata)
      return Object.assign(session, { url: pageUrl(session.id) })
    },

    newCustomer: (metadata: Record<string, string> = {}): string => put(tables.customers, 'cus', { object: 'customer', metadata }).id,

    /** What a person does on the page. A delayed payment arrives, or fails, later. */
    pay: (id: string, { isDelayed = false } = {}): StripeObject => {
      const session = need(tables.sessions, id)
      if (session.status !== 'open' || (session.expires_at as number) <= seconds()) throw new Error('the page is closed')
      const makes = session.customer === null && (session.makesCustomer === true || session.mode === 'subscription')
      const customer = makes ? put(tables.customers, 'cus', { object: 'customer' }).id : (session.customer as string | null)
      Object.assign(session, { status: 'complete', customer, payment_status: isDelayed ? 'unpaid' : 'paid' })
      if (session.mode === 'subscription') {
        const subscription = subscribe(session, customer as string)
        session.subscription = subscription.id
        session.invoice = bill(subscription, 'subscription_create', true).id
      } else {
        const { amount_total: amount, currency } = session
        const status = isDelayed ? 'pending' : 'succeeded'
        const made = charge({ amount, currency, customer, metadata: madeMetadataOf.get(id) ?? {}, status })
        session.payment_intent = made.payment_intent
        report(isDelayed ? 'charge.pending' : 'charge.succeeded', made)
      }
      report('checkout.session.completed', session)
      return session
    },

    /** How a delayed payment came out. */
    conclude: (id: string, isPaid: boolean): void => {
      const session = need(tables.sessions, id)
      chargeOf(session.payment_intent as string).status = isPaid ? 'succeeded' : 'failed'
      if (isPaid) session.payment_status = 'paid'
      report(`checkout.session.async_payment_${isPaid ? 'succeeded' : 'failed'}`, session)
    },

    renew: (subscription: string): StripeObject => bill(need(tables.subscriptions, subscription), 'subscription_cycle', true),
    failRenewal: (subscription: string): StripeObject => bill(need(tables.subscriptions, subscription), 'subscription_cycle', false),

    endSubscription: (id: string): StripeObject => {
      const subscription = Object.assign(need(tables.subscriptions, id), {
        status: 'canceled',
        ended_at: seconds(),
        canceled_at: seconds(),
      })
      report('customer.subscription.deleted', subscription)
      return subscription
    },

    refund: (payment: string, part?: number): void => {
      const refunded = chargeOf(payment)
      const before = refunded.amount_refunded as number
      const amount = part ?? (refunded.amount as number) - before
      Object.assign(refunded, { amount_refunded: before + amount, refunded: before + amount === refunded.amount })
      report('refund.created', { id: `re_${createId()}`, object: 'refund', amount, charge: refunded.id })
      report('charge.refunded', refunded)
    },

    openDispute: (payment: string): string => {
      const { id, amount, currency, payment_intent } = Object.assign(chargeOf(payment), { disputed: true })
      const fields = { object: 'dispute', charge: id, amount, currency, payment_intent, reason: 'general', metadata: {} }
      const dispute = put(tables.disputes, 'dp', { ...fields, status: 'needs_response' })
      report('charge.dispute.created', dispute)
      return dispute.id
    },

    closeDispute: (id: string, status: string): void => {
      report('charge.dispute.closed', Object.assign(need(tables.disputes, id), { status }))
    },

    /** Everything that another shop on the same account reports. */
    otherBusiness: (): void => {
      const own = { shop: 'another' }
      const sold = charge({ amount: 500, currency: 'eur', customer: null, metadata: own })
      const dispute = put(tables.disputes, 'dp', { object: 'dispute', charge: sold.id, status: 'needs_response' })
      const session = { id: 'cs_test_other', object: 'checkout.session', mode: 'setup', amount_total: null, currency: null, metadata: own }
      report('checkout.session.completed', session)
      report('checkout.session.async_payment_failed', { ...session, metadata: null })
      report('invoice.paid', { id: 'in_other', object: 'invoice', parent: null, billing_reason: 'manual', amount_paid: 1 })
      report('invoice.payment_failed', { id: 'in_other', object: 'invoice', parent: { type: 'quote_details', subscription_details: null } })
      report('customer.subscription.deleted', { id: 'sub_other', object: 'subscription', metadata: own })
      report('charge.refunded', { ...sold, amount_refunded: 500 })
      report('charge.dispute.created', dispute)
      report('charge.dispute.closed', { ...dispute, status: 'lost' })
    },
  }
}

export type StripeObjects = ReturnType<typeof createStripeObjects>
