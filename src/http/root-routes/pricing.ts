// The pricing page: what can be bought, and what the signed-in reader has. Buying leads to the page of a checkout.

import type { Account } from '../../accounts/caller.ts'
import { LabError } from '../../errors.ts'
import type { Routes } from '../app.ts'
import { readForms } from '../body.ts'
import { checkoutPath } from '../checkout-answers.ts'
import { errorPage } from '../error-page.ts'
import { sendPage } from '../html-page.ts'
import { formOf, leavingPage, personOf } from '../page-forms.ts'
import { billingPath, type Owned, pricingBody, pricingPath } from '../pricing-page.ts'
import { rootUrlOf } from '../root-url.ts'

const nothingForSale = { title: 'Pricing', body: '<p>There is nothing to buy here: this installation is free to use.</p>' }

export const routes: Routes = (app, { commerce, content, limits, payments, requiresPlan }) => {
  readForms(app)
  const errorHandler = errorPage({
    titleOf: () => 'Nothing was bought',
    way: { url: pricingPath, text: 'Back to the plans' },
    signsIn: pricingPath,
  })
  const hidden = { hide: true } as never

  const ownedBy = async (account: Account): Promise<Owned> => {
    const { accountId } = account
    const [plan, subscriptions, { balance }, { items }, isCustomer] = await Promise.all([
      commerce.entitlements.of(accountId),
      commerce.subscriptions.of(accountId),
      commerce.credits.page(accountId, { limit: 1 }),
      commerce.checkouts.page(account, { limit: 50 }),
      commerce.billing.isCustomer(accountId),
    ])
    const open = items.filter(({ status }) => status === 'open')
    return { plan, subscriptions, open, credits: balance, isCustomer }
  }

  app.get(pricingPath, { config: { public: true }, schema: hidden, errorHandler }, async ({ caller, browserSessionId }, reply) => {
    if (payments === 'off') return sendPage(reply, 200, nothingForSale)
    const [owned, left] = await Promise.all([caller === null || browserSessionId === null ? null : ownedBy(caller), commerce.remaining()])
    const { plans, creditPacks: packs } = content
    const body = pricingBody({ plans, packs, left, limits, requiresPlan, isTestMode: payments === 'local', owned })
    return sendPage(reply, 200, { title: 'Pricing', body, wide: true, hasForms: true })
  })

  const form = { config: { rate: 'write', takesForms: true }, schema: hidden, errorHandler } as const

  app.post(pricingPath, form, async (request, reply) => {
    const { plan_id, pack_id } = formOf(request)
    if ((plan_id === undefined) === (pack_id === undefined)) throw new LabError('invalid_request', 'the form names no offer')
    const wanted = plan_id === undefined ? { pack_id: pack_id as string } : { plan_id }
    const { id } = await commerce.checkouts.create(personOf(request), wanted)
    return reply.redirect(checkoutPath(id), 303)
  })

  app.post(billingPath, form, async (request, reply) => {
    const { url } = await commerce.billing.portal(personOf(request), `${rootUrlOf(request)}${pricingPath}`)
    return sendPage(reply, 200, leavingPage(url))
  })
}
