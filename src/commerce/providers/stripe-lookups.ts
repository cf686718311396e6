// What a charge at Stripe paid for. A charge of a one-time order has our metadata; one of a subscription names neither invoice nor
// subscription, so Stripe is asked for the invoice that its payment belongs to.

import type Stripe from 'stripe'
import type { z } from 'zod'
import { readProviderAnswer } from './provider-errors.ts'
import type { Ask } from './stripe-client.ts'
import { Charge, Invoice, InvoicePayments, orderIn, orderInInvoice } from './stripe-objects.ts'

export interface ChargedOrder {
  /** As `paid` and `renewed` call it: the payment of a one-time order, the invoice of a subscription. */
  readonly payment: string
  readonly checkoutId: string
  readonly subscription: string | null
}

export const createLookups = (stripe: Stripe, ask: Ask) => {
  const invoiceOrder = async (paymentIntent: string): Promise<ChargedOrder | null> => {
    const payment = { type: 'payment_intent' as const, payment_intent: paymentIntent }
    const found = await ask(() => stripe.invoicePayments.list({ payment, expand: ['data.invoice'], limit: 1 }))
    const invoice = readProviderAnswer('Stripe', InvoicePayments, found).data[0]?.invoice
    const order = orderInInvoice(invoice)
    if (order === null) return null
    const { id, subscription } = readProviderAnswer('Stripe', Invoice, invoice)
    return { payment: id, checkoutId: order.checkoutId, subscription }
  }

  /** Null when it is not ours. */
  const orderOf = async (charge: z.output<typeof Charge>): Promise<ChargedOrder | null> => {
    const { id, payment_intent } = charge
    const order = orderIn(charge)
    if (order !== null) return { payment: payment_intent ?? id, checkoutId: order.checkoutId, subscription: null }
    return payment_intent === null ? null : await invoiceOrder(payment_intent)
  }

  return {
    orderOf,
    orderOfCharge: async (id: string): Promise<ChargedOrder | null> =>
      orderOf(readProviderAnswer('Stripe', Charge, await ask(() => stripe.charges.retrieve(id)))),
  }
}

export type Lookups = ReturnType<typeof createLookups>
