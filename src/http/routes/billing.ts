// What an account pays for, and the way to invoices and to the end of a subscription: pages of the payment provider.

import { BillingPortal, BillingState } from '../../contract/billing.ts'
import { pagePaths } from '../../contract/page-paths.ts'
import type { Routes } from '../app.ts'
import { browserSessionOf, callerOf } from '../authentication.ts'
import { operation } from '../operation.ts'
import { rootUrlOf } from '../root-url.ts'

export const routes: Routes = (app, { commerce }) => {
  const read = operation(
    {
      id: 'readBilling',
      tag: 'Payments',
      summary: 'Read your subscriptions',
      description: 'Those that go on to be charged. Which plan and how many credits you have says `GET /auth/me`.',
      access: 'account',
    },
    { response: { 200: BillingState } },
  )
  app.get('/auth/billing', read, (request) => commerce.billing.state(callerOf(request).accountId))

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
    return commerce.billing.portal(callerOf(request), `${rootUrlOf(request)}${pagePaths.pricing}`)
  })
}
