// The checkout handoff at the root of the host: a program creates a session, and a signed-in person pays on its page.

import {
  CheckoutHistory,
  CheckoutParams,
  CheckoutSession,
  CheckoutSessionList,
  CheckoutSessionQuery,
  CheckoutSessionRequest,
  PaymentPage,
} from '../../contract/checkout.ts'
import type { Routes } from '../app.ts'
import { browserSessionOf, callerOf } from '../authentication.ts'
import { checkoutPath, checkoutSessionMapper, toCheckoutSession } from '../checkout-responses.ts'
import { operation } from '../operation.ts'
import { rootUrlOf } from '../root-url.ts'

export const routes: Routes = (app, { commerce: { checkouts } }) => {
  const about = { tag: 'Payments', access: 'account', atRoot: true } as const

  const create = operation(
    {
      ...about,
      id: 'createCheckoutSession',
      summary: 'Create a checkout session',
      description:
        'A handoff: it cannot charge, mark itself paid or give a plan. A person who is signed in to the same account pays at `payment_url`, and ' +
        'the payment provider confirms it. It is open for `checkout_minutes` of the limits. A plan with a `limit` is held as long as the session is open. ' +
        'An account has one open session of a plan: a newer one replaces it.',
      rate: 'write',
      errors: ['payments_off', 'already_bought', 'sold_out', 'checkout_limit_reached'],
      recover: async (requestId, rootUrl) => {
        const created = await checkouts.findCreated(requestId)
        return created === null ? null : { status: 201, body: toCheckoutSession(created, rootUrl) }
      },
    },
    { body: CheckoutSessionRequest, response: { 201: CheckoutSession } },
  )
  app.post('/checkout_sessions', create, async (request, reply) => {
    const created = await checkouts.create(callerOf(request), request.body, request.requestId)
    return reply.code(201).send(checkoutSessionMapper(request)(created))
  })

  const list = operation(
    {
      ...about,
      id: 'listCheckoutSessions',
      summary: 'List your checkout sessions',
      description:
        'Newest first, also those that have ended. One that was never paid is forgotten after its end, in a month at the earliest.',
    },
    { querystring: CheckoutSessionQuery, response: { 200: CheckoutSessionList } },
  )
  app.get('/checkout_sessions', list, async (request) => {
    const { items, ...page } = await checkouts.page(callerOf(request), request.query)
    return { items: items.map(checkoutSessionMapper(request)), ...page }
  })

  const read = operation(
    {
      ...about,
      id: 'readCheckoutSession',
      summary: 'Read a checkout session',
      description: 'Also after it has ended. `payment_status` is what the payment provider has confirmed, and nothing else.',
      errors: ['not_found'],
    },
    { params: CheckoutParams, response: { 200: CheckoutSession } },
  )
  app.get('/checkout_sessions/:sessionId', read, async (request) =>
    checkoutSessionMapper(request)(await checkouts.read(callerOf(request), request.params.sessionId)),
  )

  const complete = operation(
    {
      ...about,
      id: 'completeCheckoutSession',
      summary: 'Complete a checkout session',
      description:
        'Answers 200 once the payment provider has confirmed the payment, which completes the session by itself; until then it is 400 ' +
        '`payment_not_confirmed`. It activates nothing. Repeated, it answers the same.',
      rate: 'write',
      errors: ['payment_not_confirmed', 'checkout_not_open', 'not_found'],
      recover: 'again',
    },
    { params: CheckoutParams, response: { 200: CheckoutSession } },
  )
  app.post('/checkout_sessions/:sessionId/complete', complete, async (request) =>
    checkoutSessionMapper(request)(await checkouts.complete(callerOf(request), request.params.sessionId)),
  )

  const cancel = operation(
    {
      ...about,
      id: 'cancelCheckoutSession',
      summary: 'Cancel a checkout session',
      description:
        'Only an open one: 400 `checkout_not_open` otherwise. Repeated, it answers the same. A payment that was under way and is confirmed ' +
        'afterwards is honoured all the same.',
      rate: 'write',
      errors: ['checkout_not_open', 'not_found'],
      recover: 'again',
    },
    { params: CheckoutParams, response: { 200: CheckoutSession } },
  )
  app.post('/checkout_sessions/:sessionId/cancel', cancel, async (request) =>
    checkoutSessionMapper(request)(await checkouts.cancel(callerOf(request), request.params.sessionId)),
  )

  const history = operation(
    {
      ...about,
      id: 'readCheckoutHistory',
      summary: 'Read what happened to a checkout session',
      description: 'From its creation on: here, and as the payment provider has confirmed.',
      errors: ['not_found'],
    },
    { params: CheckoutParams, response: { 200: CheckoutHistory } },
  )
  app.get('/checkout_sessions/:sessionId/history', history, (request) => checkouts.history(callerOf(request), request.params.sessionId))

  const pay = operation(
    {
      ...about,
      id: 'openPaymentPage',
      summary: 'Open the page of the payment provider',
      description:
        'For the person who pays, in a signed-in browser session: a request with a token is refused with 403. From the page of the provider the ' +
        'browser comes back to `payment_url`. Nothing is charged by this request.',
      rate: 'write',
      errors: [
        ...(['payments_off', 'forbidden', 'cross_site_request', 'checkout_not_open', 'already_bought', 'not_found'] as const),
        ...(['payload_too_large', 'unsupported_media_type', 'payment_provider_unavailable'] as const),
      ],
    },
    { params: CheckoutParams, response: { 200: PaymentPage } },
  )
  app.post('/checkout_sessions/:sessionId/payment', pay, (request) => {
    browserSessionOf(request, 'a personal access token cannot pay')
    const { sessionId } = request.params
    const here = `${rootUrlOf(request)}${checkoutPath(sessionId)}`
    return checkouts.payment(callerOf(request), sessionId, { returnUrl: `${here}?returned=1`, cancelUrl: here })
  })
}
