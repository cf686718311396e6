// Commerce as the edges see it: checkouts, events of the payment provider, credits, entitlements, the reconciliation.

import type { Clock } from '../clock.ts'
import type { Limits } from '../configured-limits.ts'
import type { Cursors } from '../cursor.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import { createRequireNotBought } from './already-bought.ts'
import { createBilling } from './billing.ts'
import { createCheckouts } from './checkouts.ts'
import { createCredits } from './credits.ts'
import { createEntitlements } from './entitlements.ts'
import { type Content, createOffers } from './offers.ts'
import { createPaymentEvents } from './payment-events.ts'
import { createOfferedPlans, createPlanAvailability } from './plan-availability.ts'
import { createProviderOperations } from './provider-operations.ts'
import type { PaymentProvider } from './providers/provider.ts'
import { createReconciliation } from './reconciliation.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createSweep } from './sweep.ts'

export interface CommerceDeps {
  readonly store: Pick<Store, 'customers' | 'checkouts' | 'settlements' | 'entitlements' | 'credits'>
  readonly content: Content
  /** Null where nothing can be bought. */
  readonly provider: PaymentProvider | null
  readonly clock: Clock
  readonly log: Log
  readonly limits: Pick<Limits, 'checkoutMinutes' | 'accountCheckouts'>
  readonly cursors: Cursors
  /** Whether a start costs a credit here. */
  readonly sellsCredits: boolean
}

export const createCommerce = ({ store, content, provider, clock, log, limits, cursors, sellsCredits }: CommerceDeps) => {
  const offers = createOffers(content)
  const at = provider === null ? null : createProviderOperations({ store, provider, clock, log })
  const entitlements = createEntitlements({ store: store.entitlements, clock })
  const subscriptions = createSubscriptions({ checkouts: store.checkouts, settlements: store.settlements })
  const requireNotBought = createRequireNotBought({ entitlements, subscriptions })
  const { expire, sweep } = createSweep({ store: store.checkouts, clock, atProvider: at?.upkeep ?? (async () => undefined) })
  const availability = createPlanAvailability({ store: store.settlements, offers, expire })
  return {
    checkouts: createCheckouts({ store: store.checkouts, offers, requireNotBought, at, clock, limits, cursors, sellsCredits, expire }),
    payments: createPaymentEvents({ store: store.settlements, provider, offers, clock, log }),
    credits: createCredits({ store: store.credits, clock, cursors }),
    entitlements,
    subscriptions,
    billing: createBilling(at, subscriptions),
    offered: createOfferedPlans({ plans: provider === null ? [] : content.plans, availability }),
    /** Compares the store with itself and with the provider. Changes nothing. */
    check: createReconciliation({ store: store.settlements, offers, provider }).check,
    /** Expires checkouts, closes their pages, and ends subscriptions that nobody has any more. */
    sweep,
  }
}

export type Commerce = ReturnType<typeof createCommerce>
export type { Checkout, CheckoutRequest } from './checkouts.ts'
export type { Difference } from './difference.ts'
export type { ReturnPages } from './payment-pages.ts'
export type { Subscription } from './subscriptions.ts'
