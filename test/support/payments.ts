// Events of the local payment provider of a server, signed as it signs them, sent by a test.

import { localSigningSecret } from '../../src/commerce/providers/local.ts'
import { signatureHeader } from '../../src/commerce/providers/local-delivery.ts'
import type { PaymentEvent } from '../../src/commerce/providers/provider.ts'
import { signBody } from '../../src/commerce/providers/webhook-signature.ts'
import { createId } from '../../src/ids.ts'
import { readSecret } from '../../src/secret.ts'
import type { RawRequest } from './http.ts'

export interface Bought {
  readonly id: string
  readonly amount: number
  readonly currency: string
  readonly plan_id?: string
  readonly pack_id?: string
}

type Paid = Extract<PaymentEvent, { kind: 'paid' }>

const dayMs = 24 * 3_600_000

/** What the provider reports of a checkout that was paid. */
export const paidEvent = (checkout: Bought, changes: Partial<Paid> = {}): Paid => {
  const isMonthly = checkout.plan_id === 'pro_monthly'
  return {
    id: `event_${createId()}`,
    kind: 'paid',
    createdAt: new Date().toISOString(),
    live: false,
    checkoutId: checkout.id,
    offerId: checkout.plan_id ?? checkout.pack_id ?? '',
    amount: checkout.amount,
    currency: checkout.currency,
    payment: `payment_${createId()}`,
    customer: `customer_${createId()}`,
    subscription: isMonthly ? `subscription_${createId()}` : null,
    periodEnd: isMonthly ? new Date(Date.now() + 30 * dayMs).toISOString() : null,
    ...changes,
  }
}

export const signerOf = async (dataDir: string) => {
  const secret = localSigningSecret(await readSecret(undefined, dataDir))
  return {
    sign: (body: Buffer, at = new Date()): string => signBody(body, secret, at),

    /** The request that reports an event. */
    requestFor: (event: PaymentEvent, headers: Readonly<Record<string, string>> = {}): RawRequest => {
      const body = Buffer.from(JSON.stringify(event))
      const signed = { 'content-type': 'application/json', [signatureHeader]: signBody(body, secret, new Date()) }
      return { method: 'POST', path: '/webhooks/local', headers: { ...signed, ...headers }, body }
    },
  }
}
