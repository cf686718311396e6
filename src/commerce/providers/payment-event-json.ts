// Payment events as JSON: what the local provider sends, read with the same care as what a real one sends.

import { z } from 'zod'
import type { PaymentEvent } from './provider.ts'

const id = z.string().min(1).max(255)
const moment = z.iso.datetime()
const amount = z.int().min(0)
const currency = z.string().regex(/^[a-z]{3}$/)

const base = { id, createdAt: moment, live: z.boolean() }
const paid = { payment: id, amount, currency, customer: id.nullable(), subscription: id.nullable(), periodEnd: moment.nullable() }

export const PaymentEventJson = z.discriminatedUnion('kind', [
  z.strictObject({ ...base, kind: z.literal('paid'), ...paid, checkoutId: id, offerId: id }),
  z.strictObject({ ...base, kind: z.literal('renewed'), ...paid, subscription: id }),
  z.strictObject({ ...base, kind: z.literal('payment_failed'), checkoutId: id }),
  z.strictObject({ ...base, kind: z.literal('renewal_failed'), subscription: id }),
  z.strictObject({ ...base, kind: z.literal('subscription_ended'), subscription: id, endedAt: moment }),
  z.strictObject({ ...base, kind: z.literal('refunded'), payment: id, refunded: amount, currency }),
  z.strictObject({ ...base, kind: z.literal('dispute_opened'), payment: id, dispute: id }),
  z.strictObject({ ...base, kind: z.literal('dispute_closed'), payment: id, dispute: id, outcome: z.enum(['won', 'lost']) }),
  z.strictObject({ ...base, kind: z.literal('ignored'), type: id }),
]) satisfies z.ZodType<PaymentEvent>
