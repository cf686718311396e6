// The payment provider that the operator has chosen. Its code, and the library of Stripe, are loaded only where they are used.

import { LabError } from '../../errors.ts'
import { isLoopbackHost, isLoopbackUrl } from '../../loopback.ts'
import type { LocalOptions, LocalProvider } from './local.ts'
import type { PaymentProvider } from './provider.ts'

export interface PaymentSettings {
  readonly payments: 'off' | 'local' | 'stripe'
  readonly stripeSecretKey: string | undefined
  readonly stripeWebhookSecrets: readonly string[] | undefined
  readonly stripeApiUrl: string
  readonly host: string
  readonly publicUrl: string | undefined
  readonly directUrl: string | undefined
}

export interface ChosenProvider {
  /** Null where nothing can be bought. */
  readonly provider: PaymentProvider | null
  /** The other side of the local provider: its pages, and the delivery of its events. */
  readonly local: LocalProvider | null
}

const wrong = (message: string) => new LabError('invalid_request', `invalid configuration: ${message}`)

/** Whoever reaches the local provider pays without money, so nobody else may. */
const requireThisMachine = ({ host, publicUrl, directUrl }: PaymentSettings): void => {
  const reachable = [
    ...(isLoopbackHost(host) ? [] : ['LAB_HOST']),
    ...(publicUrl === undefined || isLoopbackUrl(publicUrl) ? [] : ['LAB_PUBLIC_URL']),
    ...(directUrl === undefined || isLoopbackUrl(directUrl) ? [] : ['LAB_DIRECT_URL']),
  ]
  if (reachable.length === 0) return
  throw wrong(`LAB_PAYMENTS: local takes no money and is for this machine only, which ${reachable.join(' and ')} would open to others`)
}

const stripeSecrets = ({ stripeSecretKey, stripeWebhookSecrets }: PaymentSettings) => {
  if (stripeSecretKey !== undefined && stripeWebhookSecrets !== undefined)
    return { secretKey: stripeSecretKey, webhookSecrets: stripeWebhookSecrets }
  throw wrong('LAB_PAYMENTS: stripe needs LAB_STRIPE_SECRET_KEY and LAB_STRIPE_WEBHOOK_SECRET')
}

/** Throws invalid_request for settings that do not go together. Needs no store, so that a server can refuse before it does anything. */
export const requirePaymentSettings = (settings: PaymentSettings): void => {
  if (settings.payments === 'local') requireThisMachine(settings)
  if (settings.payments === 'stripe') stripeSecrets(settings)
}

export const createPaymentProvider = async (settings: PaymentSettings, parts: LocalOptions): Promise<ChosenProvider> => {
  requirePaymentSettings(settings)
  if (settings.payments === 'local') {
    const local = (await import('./local.ts')).createLocalProvider(parts)
    return { provider: local.provider, local }
  }
  if (settings.payments === 'off') return { provider: null, local: null }
  const { createStripeProvider } = await import('./stripe.ts')
  const { clock, log } = parts
  return { provider: createStripeProvider({ ...stripeSecrets(settings), apiUrl: settings.stripeApiUrl, clock, log }), local: null }
}
