// The local provider: plays a payment provider on this machine, for development and tests. No money is taken. Its payments are in the store;
// what happens to them is reported as by any provider: by a signed event, over HTTP, to the webhook endpoint.

import { createHmac } from 'node:crypto'
import { parseCheckedJson } from '../../checked-json.ts'
import type { Clock } from '../../clock.ts'
import { isLabError, LabError, messageOf } from '../../errors.ts'
import { parseJson } from '../../json-body.ts'
import type { Log } from '../../log.ts'
import type { LocalEventRow, LocalPaymentRow, LocalPaymentStore } from '../../store/local-payments.ts'
import { createDelivery, signatureHeader } from './local-delivery.ts'
import * as steps from './local-payment.ts'
import { PaymentEventJson } from './payment-event-json.ts'
import type { PaymentEvent, PaymentProvider, ProviderPayment, ProviderSubscription } from './provider.ts'
import { readEventPart, unreadableEvent } from './provider-errors.ts'
import { verifySignature } from './webhook-signature.ts'

export interface LocalOptions {
  readonly store: LocalPaymentStore
  /** Of the installation. */
  readonly secret: string
  /** The root address that people use. */
  readonly rootUrl: () => string
  /** The root address on this machine that events are sent to. */
  readonly localUrl: () => string
  readonly clock: Clock
  readonly log: Log
}

const title = 'the local provider'

/** Another key than those of session ids and cursors, which are made from the same secret. */
export const localSigningSecret = (secret: string): string => createHmac('sha256', secret).update('events of local payments').digest('hex')

const paymentIn = (row: LocalPaymentRow): steps.LocalPayment => parseCheckedJson(steps.LocalPayment, row.state)

const eventRow = (event: PaymentEvent): LocalEventRow => ({
  ...{ id: event.id, body: JSON.stringify(event), created_at: event.createdAt, delivered_at: null },
})

const jsonIn = (body: Buffer): unknown => {
  try {
    return parseJson(body)
  } catch (error) {
    throw unreadableEvent(title, messageOf(error))
  }
}

const chargesIn = (payment: steps.LocalPayment): ProviderPayment[] =>
  payment.charges.map(({ payment: name, amount, refunded, dispute, paidAt }) => ({
    ...{ payment: name, checkoutId: payment.checkoutId, subscription: payment.subscription?.id ?? null },
    ...{ amount, currency: payment.currency, refunded, disputed: dispute !== null && dispute.status !== 'won', paidAt },
  }))

const subscriptionIn = ({ subscription, checkoutId }: steps.LocalPayment): ProviderSubscription[] =>
  subscription === null
    ? []
    : [{ subscription: subscription.id, checkoutId, status: subscription.status, periodEnd: subscription.periodEnd }]

export const createLocalProvider = ({ store, secret, rootUrl, localUrl, clock, log }: LocalOptions) => {
  const signingSecret = localSigningSecret(secret)
  const url = () => `${localUrl()}/webhooks/local`
  const delivery = createDelivery({ store, secret: signingSecret, url, clock, log })

  const found = <Value>(value: Value | null): Value => {
    if (value === null) throw new LabError('not_found', 'there is no such payment')
    return value
  }

  /** State and event are stored together; then the event is on its way. */
  const take = async (reference: string, step: steps.Take): Promise<steps.LocalPayment> => {
    const row = await store.change(reference, (before) => {
      const { payment, event } = step(paymentIn(before), clock.now())
      const changed = { ...before, state: JSON.stringify(payment), subscription: payment.subscription?.id ?? null }
      return { row: changed, event: event === null ? null : eventRow(event) }
    })
    delivery.wake()
    return paymentIn(found(row))
  }

  const provider: PaymentProvider = {
    name: 'local',
    live: false,

    createCustomer: async () => steps.newCustomer(),

    open: async (order) => {
      const payment = steps.paymentFor(order, clock.now())
      const { reference, checkoutId: checkout_id, customer, createdAt: created_at } = payment
      const row = await store.open({ reference, checkout_id, customer, subscription: null, state: JSON.stringify(payment), created_at })
      return { reference: row.reference, url: `${rootUrl()}/local-payments/${row.reference}` }
    },

    close: async (reference) => {
      await take(reference, steps.close).catch((error: unknown) => {
        if (!isLabError(error, 'not_found')) throw error
      })
    },

    verify: (body, headers, now) => {
      verifySignature({ body, header: headers[signatureHeader], secrets: [signingSecret], now })
      return async () => {
        try {
          return readEventPart(title, PaymentEventJson, jsonIn(body))
        } catch (error) {
          if (isLabError(error, 'unreadable_event')) log.error({ problem: error.message }, 'a signed event cannot be read')
          throw error
        }
      }
    },

    portalUrl: async (customer, returnUrl) =>
      `${rootUrl()}/local-payments/customers/${encodeURIComponent(customer)}?return_url=${encodeURIComponent(returnUrl)}`,

    endSubscription: async (subscription) => {
      const row = await store.findBySubscription(subscription)
      if (row !== null) await take(row.reference, steps.endSubscription)
    },

    payments: async function* (since) {
      const moment = new Date(since).toISOString()
      for (const row of await store.list()) yield* chargesIn(paymentIn(row)).filter(({ paidAt }) => paidAt >= moment)
    },

    subscriptions: async function* () {
      for (const row of await store.list()) yield* subscriptionIn(paymentIn(row))
    },
  }

  return {
    provider,

    /** What the pages of the provider do. An unknown reference is not_found; what cannot be done to a payment is invalid_request. */
    pages: {
      read: async (reference: string): Promise<steps.LocalPayment> => paymentIn(found(await store.find(reference))),
      /** All of a customer, the oldest first. */
      ofCustomer: async (customer: string): Promise<steps.LocalPayment[]> => (await store.list(customer)).map(paymentIn),
      pay: (reference: string) => take(reference, steps.pay),
      decline: (reference: string) => take(reference, steps.decline),
      renew: (reference: string) => take(reference, steps.renew),
      failRenewal: (reference: string) => take(reference, steps.failRenewal),
      endSubscription: (reference: string) => take(reference, steps.endSubscription),
      /** Of one charge, or the last; a part of it, or all that is left. */
      refund: (reference: string, payment?: string, amount?: number) => take(reference, steps.refund(payment, amount)),
      openDispute: (reference: string, payment?: string) => take(reference, steps.openDispute(payment)),
      closeDispute: (reference: string, outcome: 'won' | 'lost', payment?: string) => take(reference, steps.closeDispute(outcome, payment)),
    },

    /** Sends what an earlier process left. Once the service listens. */
    start: delivery.wake,
    /** Resolves when every event has arrived. */
    settle: delivery.deliver,
    stop: delivery.stop,
  }
}

export type LocalProvider = ReturnType<typeof createLocalProvider>
