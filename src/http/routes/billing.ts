// The way to invoices, and to the end of a subscription: pages of the payment provider.

import { BillingPortal } from '../../contract/billing.ts'
import type { Routes } from '../app.ts'
import { browserSessionOf, callerOf } from '../authentication.ts'
import { operation } from '../operation.ts'
import { pricingPath } from '../pricing-page.ts'
import { rootUrlOf } from '../root-url.ts'

export const routes: Routes = (app, { commerce }) => {
  const open = operation(
    {
      id: 'openBillingPortal',
      tag: 'Payments',
      summary: 'Open the billing pages of the payment provider',
      description:
        'Invoices, and the end of a subscription. The address is valid for a short time, so every request gets another one. Needs a signed-in ' +
        'browser session: a request with a token is refused with 403. 404 for an account that has paid nothing yet.',
      access: 'account',
      rate: 'auth',
      errors: [
        ...(['payments_off', 'forbidden', 'cross_site_request', 'not_found', 'payload_too_large'] as const),
        ...(['unsupported_media_type', 'payment_provider_unavailable'] as const),
      ],
    },
    { response: { 200: BillingPortal } },
  )
  app.post('/auth/billing', open, (request) => {
    browserSessionOf(request, 'a personal access token cannot open the billing pages')
    return commerce.billing.portal(callerOf(request), `${rootUrlOf(request)}${pricingPath}`)
  })
}
