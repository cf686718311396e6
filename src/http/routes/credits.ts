// Credit packs, and the credits of an account.

import { z } from 'zod'
import { CheckoutSession, CreditsCheckoutRequest } from '../../contract/checkout.ts'
import { CreditBalance, CreditQuery } from '../../contract/credits.ts'
import { CreditPackList } from '../../contract/offers.ts'
import type { Routes } from '../app.ts'
import { callerOf } from '../authentication.ts'
import { checkoutSessionMapper, toCheckoutSession } from '../checkout-responses.ts'
import { operation } from '../operation.ts'

export const routes: Routes = (app, { commerce, content }, cache) => {
  const list = operation(
    {
      id: 'listCreditPacks',
      tag: 'Service',
      summary: 'List credit packs',
      description: 'All of them; amounts are in the smallest unit of the currency.',
      access: 'public',
    },
    { querystring: z.strictObject({}), response: { 200: CreditPackList } },
  )
  app.get('/credits/packs', { ...list, ...cache.hooks }, async () => ({ items: [...content.creditPacks] }))

  const about = { tag: 'Payments', access: 'account' } as const

  const read = operation(
    {
      ...about,
      id: 'readCredits',
      summary: 'Read your credits',
      description: 'The balance, and the entries that it is the sum of, newest first.',
    },
    { querystring: CreditQuery, response: { 200: CreditBalance } },
  )
  app.get('/credits', read, (request) => commerce.credits.page(callerOf(request).accountId, request.query))

  const buy = operation(
    {
      ...about,
      id: 'createCreditsCheckout',
      summary: 'Create a checkout session for credits',
      description: 'As `POST /checkout_sessions` does for a plan: read, completed and cancelled there, and paid at `payment_url`.',
      rate: 'write',
      errors: ['payments_off', 'checkout_limit_reached'],
      recover: async (requestId, rootUrl) => {
        const created = await commerce.checkouts.findCreated(requestId)
        return created === null ? null : { status: 201, body: toCheckoutSession(created, rootUrl) }
      },
    },
    { body: CreditsCheckoutRequest, response: { 201: CheckoutSession } },
  )
  app.post('/credits/checkout', buy, async (request, reply) => {
    const created = await commerce.checkouts.create(callerOf(request), request.body, request.requestId)
    return reply.code(201).send(checkoutSessionMapper(request)(created))
  })
}
