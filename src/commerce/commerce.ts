// Commerce as the edges see it: checkouts, events of the payment provider, credits, entitlements, the reconciliation.

import type { Account } from '../accounts/caller.ts'
import type { Clock } from '../clock.ts'
import type { Limits } from '../configured-limits.ts'
import type { CheckoutHistory, CheckoutSession } from '../contract/checkout.ts'
import type { CreditBalance, CreditQuery } from '../contract/credits.ts'
import type { CreditPack, Plan } from '../contract/offers.ts'
import type { Cursors } from '../cursor.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import type { PaymentProvider } from './providers/provider.ts'

export interface CommerceDeps {
  readonly store: Store
  readonly content: { readonly plans: readonly Plan[]; readonly creditPacks: readonly CreditPack[] }
  /** Null where nothing can be bought. */
  readonly provider: PaymentProvider | null
  readonly clock: Clock
  readonly log: Log
  readonly limits: Pick<Limits, 'checkoutMinutes' | 'accountCheckouts'>
  readonly cursors: Cursors
}

/** A checkout without the addresses of its pages, which depend on the host that was asked. */
export type Checkout = Omit<CheckoutSession, 'payment_url' | 'continue_url'>

interface ReturnAddresses {
  readonly success_url?: string | undefined
  readonly cancel_url?: string | undefined
}
export type CheckoutRequest = ReturnAddresses & ({ readonly plan_id: string } | { readonly pack_id: string })

/** Pages of this service to which the provider sends the browser. */
export interface ReturnPages {
  readonly returnUrl: string
  readonly cancelUrl: string
}

export interface Checkouts {
  /** Throws payments_off, invalid_request, sold_out, checkout_limit_reached. `requestId` is that of a request with an idempotency key. */
  create(caller: Account, request: CheckoutRequest, requestId?: string): Promise<Checkout>
  /** What a request with an idempotency key has created, or null. */
  findCreated(requestId: string): Promise<Checkout | null>
  /** Throws not_found, also for one of another account; as all below do. */
  read(caller: Account, id: string): Promise<Checkout>
  /** The checkout once it is paid. Throws payment_not_confirmed, checkout_not_open. Idempotent. */
  complete(caller: Account, id: string): Promise<Checkout>
  /** Throws checkout_not_open. Idempotent. */
  cancel(caller: Account, id: string): Promise<Checkout>
  history(caller: Account, id: string): Promise<CheckoutHistory>
  /** The provider's page for an open checkout. Throws payments_off, checkout_not_open, payment_provider_unavailable. */
  payment(caller: Account, id: string, pages: ReturnPages): Promise<{ readonly url: string }>
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

export interface Payments {
  /** Verifies and applies an event. Throws not_found for another provider than the configured one, invalid_signature. */
  receive(provider: string, body: Buffer, headers: Headers): Promise<'applied' | 'duplicate' | 'ignored'>
}

export interface Credits {
  balance(accountId: string): Promise<number>
  page(accountId: string, query: CreditQuery): Promise<CreditBalance>
  /** Returns what a start has spent, once. False when it had spent nothing, or it was returned before. */
  giveBack(spent: string): Promise<boolean>
}

export interface Entitlement {
  readonly planId: string
  readonly startsAt: string
  /** Null when it does not end. */
  readonly endsAt: string | null
}

export interface Entitlements {
  /** What the account has now; the one that lasts longest. */
  of(accountId: string): Promise<Entitlement | null>
}

export interface Billing {
  /** The provider's page with invoices and the subscription. Throws payments_off, not_found for an account that has paid nothing yet. */
  portal(caller: Account, returnUrl: string): Promise<{ readonly url: string }>
}

/** Something that the store and the provider, or two parts of the store, do not agree on. */
export interface Difference {
  readonly kind: string
  readonly checkoutId: string | null
  /** What the provider calls the event, payment or subscription. */
  readonly reference: string | null
  /** A sentence for the operator. */
  readonly text: string
}

export interface Commerce {
  readonly checkouts: Checkouts
  readonly payments: Payments
  readonly credits: Credits
  readonly entitlements: Entitlements
  readonly billing: Billing
  /** Compares the store with itself and with the provider. Changes nothing. */
  check(): Promise<Difference[]>
  /** Expires checkouts, closes their pages, and ends subscriptions that nobody has any more. */
  sweep(): Promise<void>
}
