// Stripe as payment provider: hosted payment pages, the customer portal, signed events.

import type Stripe from 'stripe'
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { isLabError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Order, PaymentProvider } from './provider.ts'
import { readProviderAnswer } from './provider-errors.ts'
import { createAsk, createStripeClient, isMissing, isStripeError, type StripeClientOptions } from './stripe-client.ts'
import { readStripeEvent } from './stripe-events.ts'
import { createStripeListing } from './stripe-listing.ts'
import { createLookups } from './stripe-lookups.ts'
import { accountKey, checkoutKey, offerKey } from './stripe-objects.ts'
import { verifySignature } from './webhook-signature.ts'

export interface StripeOptions extends StripeClientOptions {
  readonly webhookSecrets: readonly string[]
  readonly clock: Clock
  readonly log: Log
}

const Opened = z.object({ id: z.string().min(1), url: z.url({ protocol: /^https?$/ }) })
const Customer = z.object({ id: z.string().min(1).max(255) })
const Link = z.object({ url: z.url({ protocol: /^https?$/ }) })

const minute = 60_000
/** Stripe's own bounds, with a minute for the way there. */
const shortestPage = 31 * minute
const longestPage = (24 * 60 - 1) * minute
const step = 12 * 60 * minute

/**
 * In seconds. Stripe takes 30 minutes to 24 hours from now on, and answers a repeated request only if it says the same. So the end does
 * not follow from when it is asked, but from the checkout: half an hour after it, and the page is closed with the checkout anyway. What
 * is too far away comes nearer in steps of twelve hours.
 */
export const pageExpiry = (expiresAt: string, now: Date): number => {
  const end = Date.parse(expiresAt) + shortestPage
  const steps = Math.max(0, Math.ceil((end - now.getTime() - longestPage) / step))
  return Math.floor(Math.max(end - steps * step, now.getTime() + shortestPage) / 1000)
}

const sessionFor = (order: Order, customer: string | null, now: Date): Stripe.Checkout.SessionCreateParams => {
  const metadata = { [checkoutKey]: order.checkoutId, [offerKey]: order.offerId }
  const price = { currency: order.currency, unit_amount: order.amount, product_data: { name: order.name } }
  const common = {
    client_reference_id: order.checkoutId,
    metadata,
    success_url: order.returnUrl,
    cancel_url: order.cancelUrl,
    expires_at: pageExpiry(order.expiresAt, now),
    payment_method_types: ['card' as const], // also by a wallet; confirmed at once, not after days in which nobody knows of the payment
    adaptive_pricing: { enabled: false }, // what is paid is what was asked, in its currency
    ...(customer === null ? {} : { customer }),
  }
  if (order.interval === 'month') {
    const line_items = [{ quantity: 1, price_data: { ...price, recurring: { interval: 'month' as const } } }]
    return { ...common, mode: 'subscription', line_items, subscription_data: { metadata } }
  }
  const once = { ...common, mode: 'payment' as const, line_items: [{ quantity: 1, price_data: price }], payment_intent_data: { metadata } }
  return customer === null ? { ...once, customer_creation: 'always' } : once
}

export const createStripeProvider = (options: StripeOptions): PaymentProvider => {
  const { secretKey, webhookSecrets, clock, log } = options
  const stripe = createStripeClient(options)
  const ask = createAsk(log, options.timeoutMs)
  const lookups = createLookups(stripe, ask)

  const create = (order: Order, customer: string | null, idempotencyKey: string) =>
    stripe.checkout.sessions.create(sessionFor(order, customer, clock.now()), { idempotencyKey })

  /** A customer who was deleted at Stripe becomes a new one. The first attempt has made nothing, so the second has a key of its own. */
  const createOrRenew = async (order: Order) => {
    try {
      return await create(order, order.customer, order.checkoutId)
    } catch (error) {
      if (!isMissing(error) || !isStripeError(error) || error.param !== 'customer') throw error
      return await create(order, null, `${order.checkoutId}-new-customer`)
    }
  }

  const expire = async (reference: string): Promise<void> => {
    try {
      await stripe.checkout.sessions.expire(reference)
    } catch (error) {
      if (isMissing(error)) return
      if (!isStripeError(error) || error.statusCode !== 400) throw error
      if ((await stripe.checkout.sessions.retrieve(reference)).status === 'open') throw error
    }
  }

  return {
    name: 'stripe',
    live: /^[a-z]+_live_/.test(secretKey),

    createCustomer: async (accountId) => {
      const account = { metadata: { [accountKey]: accountId } }
      const made = await ask(() => stripe.customers.create(account, { idempotencyKey: `customer-${accountId}` }))
      return readProviderAnswer('Stripe', Customer, made).id
    },

    open: async (order) => {
      const { id: reference, url } = readProviderAnswer('Stripe', Opened, await ask(() => createOrRenew(order)))
      return { reference, url }
    },

    close: (reference) => ask(() => expire(reference)),

    verify: (body, headers, now) => {
      verifySignature({ body, header: headers['stripe-signature'], secrets: webhookSecrets, now })
      return async () => {
        try {
          return await readStripeEvent(body, lookups)
        } catch (error) {
          if (isLabError(error, 'unreadable_event')) log.error({ problem: error.message }, 'a signed event cannot be read')
          throw error
        }
      }
    },

    portalUrl: async (customer, returnUrl) =>
      readProviderAnswer('Stripe', Link, await ask(() => stripe.billingPortal.sessions.create({ customer, return_url: returnUrl }))).url,

    endSubscription: (subscription) =>
      ask(async () => {
        try {
          await stripe.subscriptions.cancel(subscription)
        } catch (error) {
          if (!isMissing(error)) throw error // it has ended already
        }
      }),

    ...createStripeListing(stripe, ask, lookups),
  }
}
