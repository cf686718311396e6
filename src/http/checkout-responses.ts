// Checkouts as they are answered: with the address of their page on the host that was asked.

import type { FastifyRequest } from 'fastify'
import type { Checkout } from '../commerce/commerce.ts'
import type { CheckoutSession } from '../contract/checkout.ts'
import { pagePaths } from '../contract/page-paths.ts'
import { rootUrlOf } from './root-url.ts'

/** The page on which a signed-in person pays. */
export const checkoutPath = (id: string): string => pagePaths.checkout.replace(':checkoutId', id)

export const toCheckoutSession = (checkout: Checkout, rootUrl: string): CheckoutSession => {
  const payment_url = `${rootUrl}${checkoutPath(checkout.id)}`
  return { ...checkout, payment_url, continue_url: payment_url }
}

export const checkoutSessionMapper =
  (request: FastifyRequest) =>
  (checkout: Checkout): CheckoutSession =>
    toCheckoutSession(checkout, rootUrlOf(request))
