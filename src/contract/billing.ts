// What an account has bought, and the customer portal of the payment provider, on the wire.

import { z } from 'zod'

export const Subscription = z.object({
  checkout_id: z.string().describe('The checkout session that it was bought with.'),
  plan_id: z.string().describe('`id` of the plan.'),
  name: z.string().describe('As the plan was called when it was bought.'),
  state: z
    .enum(['active', 'past_due', 'refunded'])
    .describe(
      '`past_due`: the last renewal failed. `refunded`: the last payment was refunded or disputed, but the subscription is not ended.',
    ),
  paid_until: z.iso.datetime().describe('The end of the time that is paid.'),
  ends_at: z.iso.datetime().nullable().describe('When the plan ends if nothing more is paid; null when it gives nothing.'),
})
export type Subscription = z.infer<typeof Subscription>

export const BillingState = z
  .object({
    subscriptions: z.array(Subscription).describe('Those that go on to be charged, oldest first.'),
    has_invoices: z.boolean().describe('Whether the payment provider has invoices of you: then `POST /auth/billing` leads to them.'),
  })
  .meta({ id: 'BillingState' })
export type BillingState = z.infer<typeof BillingState>

export const BillingPortal = z
  .object({ url: z.url().describe('A page of the payment provider, valid for a short time: invoices, and the end of a subscription.') })
  .meta({ id: 'BillingPortal' })
