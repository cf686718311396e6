// The page of a checkout, where the person pays who has the account that it was created for. The payment itself is made on a page of the
// provider; back here, the page waits for the provider's confirmation.

import type { Account } from '../../accounts/caller.ts'
import type { Checkout } from '../../commerce/commerce.ts'
import { LabError } from '../../errors.ts'
import type { Routes } from '../app.ts'
import { readForms } from '../body.ts'
import { checkoutPath } from '../checkout-answers.ts'
import { checkoutPage } from '../checkout-page.ts'
import { errorPage } from '../error-page.ts'
import { sendPage } from '../html-page.ts'
import { formOf, idIn, leavingPage, personOf } from '../page-forms.ts'
import { pricingPath } from '../pricing-page.ts'
import { rootUrlOf } from '../root-url.ts'

/** How often the page was loaded since the browser came back from the provider; 0 before that. */
const returnsIn = (query: unknown): number => {
  const { returned } = query as { readonly returned?: unknown }
  return typeof returned === 'string' && /^\d{1,4}$/.test(returned) ? Number(returned) : 0
}

export const routes: Routes = (app, { commerce: { checkouts, subscriptions }, payments }) => {
  readForms(app)
  const errorHandler = errorPage({
    titleOf: (code) => (code === 'not_found' ? 'There is no such checkout' : 'Nothing was paid'),
    way: { url: pricingPath, text: 'To the plans' },
    signsIn: true,
  })
  const schema = { hide: true } as never
  const path = checkoutPath(':sessionId')

  /** A subscription that goes on beside what is bought for good. */
  const goesOnBeside = async ({ accountId }: Account, { plan_id, interval }: Checkout): Promise<string | null> => {
    if (plan_id === undefined || interval === 'month') return null
    return (await subscriptions.of(accountId))[0]?.name ?? null
  }

  app.get(path, { schema, errorHandler }, async (request, reply) => {
    const person = personOf(request)
    const checkout = await checkouts.read(person, idIn(request, 'sessionId'))
    const { items } = await checkouts.history(person, checkout.id)
    const view = {
      wasDeclined: items.at(-1)?.event === 'payment_failed',
      goesOn: await goesOnBeside(person, checkout),
      returns: returnsIn(request.query),
      isTestMode: payments === 'local',
    }
    return sendPage(reply, 200, checkoutPage(checkout, view))
  })

  app.post(path, { config: { rate: 'write', takesForms: true }, schema, errorHandler }, async (request, reply) => {
    const [caller, id, { action }] = [personOf(request), idIn(request, 'sessionId'), formOf(request)]
    if (action === 'cancel') {
      const { cancel_url } = await checkouts.cancel(caller, id)
      return cancel_url === undefined ? reply.redirect(checkoutPath(id), 303) : sendPage(reply, 200, leavingPage(cancel_url))
    }
    if (action !== 'pay') throw new LabError('invalid_request', 'the form names no action')
    const here = `${rootUrlOf(request)}${checkoutPath(id)}`
    const { url } = await checkouts.payment(caller, id, { returnUrl: `${here}?returned=1`, cancelUrl: here })
    return sendPage(reply, 200, leavingPage(url))
  })
}
