// Something that two parts of the store, or the store and the payment provider, do not agree on.

export interface Difference {
  readonly kind: string
  readonly checkoutId: string | null
  /** What the provider calls the event, payment or subscription. */
  readonly reference: string | null
  /** A sentence for the operator. */
  readonly text: string
}
