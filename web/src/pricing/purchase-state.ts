// How a checkout stands, as the page of it says. Pure.

import type { CheckoutHistory, CheckoutSession } from '../../../src/contract/checkout.ts'

export type PurchaseState = 'open' | 'settling' | 'paid' | 'refunded' | 'disputed' | 'expired' | 'cancelled'

/** `hasReturned`: the browser came back from the payment provider, whose confirmation may take a while. */
export const purchaseStateOf = ({ status, payment_status }: CheckoutSession, hasReturned: boolean): PurchaseState => {
  if (payment_status === 'refunded' || payment_status === 'disputed') return payment_status
  if (payment_status === 'unpaid' && hasReturned) return 'settling'
  return status === 'completed' ? 'paid' : status
}

/** Whether the last thing that happened is that the provider declined a payment. */
export const wasDeclined = ({ items }: CheckoutHistory): boolean => items.at(-1)?.event === 'payment_failed'

/** Where the program that made the checkout wants the person to go on; it is https, or this machine. */
export const onwardsFrom = (checkout: CheckoutSession, state: PurchaseState): string | undefined => {
  if (state === 'paid') return checkout.success_url
  return state === 'expired' || state === 'cancelled' ? checkout.cancel_url : undefined
}
