// Checkout sessions, on the wire: a handoff to the page where a person pays.

import { z } from 'zod'
import { lookupId } from './names.ts'
import { offerId } from './offers.ts'
import { pageOf, pageQuery } from './page.ts'

const loopback = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

const isReturnAddress = (text: string): boolean => {
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null // not what a URL is read from with its slashes missing
  if (url === null || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname))
}

/** It becomes part of a header: neither spaces, line ends nor characters beyond ASCII. */
const returnAddress = z
  .string()
  .max(2048)
  .regex(/^[\x21-\x7e]*$/, 'must have no spaces and no characters beyond ASCII, which are written as %XX')
  .refine(isReturnAddress, 'must be an https URL, or an http URL of this machine, without a user name')
  .optional()

const returnAddresses = {
  success_url: returnAddress.describe('Where the person goes after the payment.'),
  cancel_url: returnAddress.describe('Where the person goes who does not pay.'),
}

export const checkoutStatuses = ['open', 'completed', 'expired', 'cancelled'] as const
export type CheckoutStatus = (typeof checkoutStatuses)[number]

export const paymentStatuses = ['unpaid', 'paid', 'refunded', 'disputed'] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

const status = z
  .enum(checkoutStatuses)
  .describe('`completed` only by a confirmation of the payment provider, also when it comes after a cancellation or after the expiry.')
const payment_status = z
  .enum(paymentStatuses)
  .describe('What the payment provider has confirmed. `disputed`: a dispute of the payment is open, or was lost.')

export const CheckoutSession = z
  .object({
    id: z.string().describe('The checkout session.'),
    status,
    payment_url: z.url().describe('The page where a signed-in person pays.'),
    continue_url: z.url().describe('The same as `payment_url`.'),
    name: z.string().describe('What is bought, as it was called when the session was created.'),
    interval: z.enum(['month', 'once']).describe('How often it is paid.'),
    amount: z.int().describe('In the smallest unit of the currency.'),
    currency: z.string().describe('ISO 4217, in lower case.'),
    plan_id: z.string().optional().describe('The plan that is bought; absent for a credit pack.'),
    pack_id: z.string().optional().describe('The credit pack that is bought; absent for a plan.'),
    payment_status,
    created_at: z.iso.datetime().describe('When it was created.'),
    expires_at: z.iso.datetime().describe('From when on an open one is `expired`.'),
    success_url: z.string().optional().describe('As it was given.'),
    cancel_url: z.string().optional().describe('As it was given.'),
    messages: z
      .array(z.object({ type: z.literal('info').describe('No error.'), text: z.string().describe('For the person or the agent.') }))
      .describe('What this session can do and what it cannot.'),
  })
  .meta({ id: 'CheckoutSession' })
export type CheckoutSession = z.infer<typeof CheckoutSession>

export const CheckoutSessionQuery = z.strictObject(pageQuery)
export type CheckoutSessionQuery = z.infer<typeof CheckoutSessionQuery>

export const CheckoutSessionList = pageOf(CheckoutSession).meta({ id: 'CheckoutSessionList' })
export type CheckoutSessionList = z.infer<typeof CheckoutSessionList>

export const CheckoutSessionRequest = z
  .strictObject({
    plan_id: offerId
      .max(64)
      .describe('`id` of a plan in `GET /settings/public`.')
      .meta({ examples: ['pro_monthly'] }),
    ...returnAddresses,
  })
  .meta({ id: 'CheckoutSessionRequest' })
export type CheckoutSessionRequest = z.infer<typeof CheckoutSessionRequest>

export const CreditsCheckoutRequest = z
  .strictObject({
    pack_id: offerId
      .max(64)
      .describe('`id` of a pack in `GET /credits/packs`.')
      .meta({ examples: ['credits_10'] }),
    ...returnAddresses,
  })
  .meta({ id: 'CreditsCheckoutRequest' })
export type CreditsCheckoutRequest = z.infer<typeof CreditsCheckoutRequest>

export const CheckoutParams = z.strictObject({ sessionId: lookupId.describe('`id` of one of your checkout sessions.') })

export const PaymentPage = z
  .object({ url: z.url().describe('A page of the payment provider, for the person alone.') })
  .meta({ id: 'PaymentPage' })

export const checkoutEvents = [
  'created',
  'page_opened',
  'cancelled',
  'expired',
  'account_deleted',
  'paid',
  'renewed',
  'payment_failed',
  'renewal_failed',
  'subscription_ended',
  'refunded',
  'dispute_opened',
  'dispute_closed',
] as const

export const CheckoutHistory = z
  .object({
    items: z
      .array(
        z.object({
          event: z.enum(checkoutEvents).describe('What happened: here, or as the payment provider has confirmed.'),
          status,
          payment_status,
          at: z.iso.datetime().describe('When this service recorded it.'),
        }),
      )
      .describe('In the order in which it was recorded; `status` and `payment_status` are those afterwards.'),
  })
  .meta({ id: 'CheckoutHistory' })
export type CheckoutHistory = z.infer<typeof CheckoutHistory>
