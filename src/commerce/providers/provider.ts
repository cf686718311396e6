// The port to a payment provider. Everything that it says is parsed and verified by its implementation before it gets here.

/** What is to be paid on a page of the provider. */
export interface Order {
  readonly checkoutId: string
  readonly accountId: string
  readonly offerId: string
  readonly name: string
  /** In the smallest unit of the currency. */
  readonly amount: number
  readonly currency: string
  readonly interval: 'month' | 'once'
  readonly expiresAt: string
  /** Where the browser goes afterwards: pages of this service. */
  readonly returnUrl: string
  readonly cancelUrl: string
  /** The customer that the provider knows this account by. */
  readonly customer: string
}

export interface OpenedPayment {
  /** What the provider calls it. */
  readonly reference: string
  /** The page on which it is paid. */
  readonly url: string
}

interface EventOf<Kind extends string> {
  readonly id: string
  readonly kind: Kind
  /** When it happened, as the provider says. */
  readonly createdAt: string
  /** Real money, or a test of the provider. */
  readonly live: boolean
}

interface Money {
  readonly amount: number
  readonly currency: string
}

/** A payment: of a checkout, or the first or a later one of a subscription. `payment` is what the provider calls it, for refunds. */
interface Paid extends Money {
  readonly payment: string
  readonly customer: string | null
  readonly subscription: string | null
  /** Until when a subscription is paid by it; null for what is paid once. */
  readonly periodEnd: string | null
}

/** What a provider reports. Checkout id and offer are what we gave it with the order. */
export type PaymentEvent =
  | (EventOf<'paid'> & Paid & { readonly checkoutId: string; readonly offerId: string })
  | (EventOf<'renewed'> & Paid & { readonly subscription: string })
  | (EventOf<'payment_failed'> & { readonly checkoutId: string })
  | (EventOf<'renewal_failed'> & { readonly subscription: string })
  | (EventOf<'subscription_ended'> & { readonly subscription: string; readonly endedAt: string })
  /** `refunded` is the sum of all refunds of this payment so far. */
  | (EventOf<'refunded'> & { readonly payment: string; readonly refunded: number; readonly currency: string })
  | (EventOf<'dispute_opened'> & { readonly payment: string; readonly dispute: string })
  | (EventOf<'dispute_closed'> & { readonly payment: string; readonly dispute: string; readonly outcome: 'won' | 'lost' })
  /** A type that means nothing here. */
  | (EventOf<'ignored'> & { readonly type: string })

/** A payment as the provider has it now, for the reconciliation. */
export interface ProviderPayment extends Money {
  readonly payment: string
  readonly checkoutId: string | null
  readonly subscription: string | null
  readonly refunded: number
  readonly disputed: boolean
  readonly paidAt: string
}

export interface ProviderSubscription {
  readonly subscription: string
  readonly checkoutId: string | null
  readonly status: 'active' | 'past_due' | 'ended'
  readonly periodEnd: string
}

export interface PaymentProvider {
  readonly name: 'stripe' | 'local'
  /** Whether its payments are real money; an event of the other mode pays nothing. */
  readonly live: boolean
  /** Makes a customer for an account. Asked again soon after, it may give the same one, or another. */
  createCustomer(accountId: string): Promise<string>
  /** Opens a page for an order. Asked again for the same checkout, it gives the same page. */
  open(order: Order): Promise<OpenedPayment>
  /** Closes a page that was not paid, so that it cannot be paid any more. Resolves also when it was paid or closed already. */
  close(reference: string): Promise<void>
  /**
   * Verifies a report, at once: throws `invalid_signature` unless the provider signed exactly these bytes, within the tolerance. What
   * reads the event in them rejects with `unreadable_event` for one in another form, and with `payment_provider_unavailable` when the
   * provider must be asked what it means.
   */
  verify(body: Buffer, headers: Readonly<Record<string, string | string[] | undefined>>, now: Date): () => Promise<PaymentEvent>
  /** Where a customer sees invoices and ends a subscription. */
  portalUrl(customer: string, returnUrl: string): Promise<string>
  endSubscription(subscription: string): Promise<void>
  payments(since: string): AsyncIterable<ProviderPayment>
  subscriptions(): AsyncIterable<ProviderSubscription>
}
