// A local HTTP server that speaks the API of Stripe as this service uses it: keys, form-encoded requests, idempotency, errors, lists, and
// signed webhooks. The signatures are made by the official library, not by the code under test.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { createId } from '../../src/ids.ts'
import { type Form, readForm, textIn, within } from './form.ts'
import { createStripeObjects, type StripeEvent, type StripeObject, type StripeObjects } from './stripe-objects.ts'

export const secretKey = 'sk_test_a_key_that_nobody_else_may_see'
export const webhookSecret = 'whsec_that_only_the_endpoint_knows'

interface Asked {
  readonly method: string
  readonly path: string
  readonly params: Form
  readonly headers: IncomingHttpHeaders
}

class Refusal extends Error {
  readonly status: number
  readonly body: Record<string, unknown>

  constructor(status: number, message: string, fields: Record<string, unknown> = {}) {
    super(message)
    this.status = status
    this.body = { error: { type: 'invalid_request_error', message, ...fields } }
  }
}

const missing = (what: string, param: string, status = 404) => new Refusal(status, `No such ${what}`, { code: 'resource_missing', param })

const known = [
  ...['mode', 'client_reference_id', 'metadata', 'success_url', 'cancel_url', 'expires_at', 'adaptive_pricing', 'customer', 'line_items'],
  ...['payment_intent_data', 'subscription_data', 'customer_creation', 'payment_method_types'],
]

const metadataIn = (form: Form | undefined): Record<string, string> => ({
  ...(within(form, 'metadata') as Record<string, string> | undefined),
})

/** Refuses what Stripe would refuse. */
const openSession = (objects: StripeObjects, params: Form, now: Date): StripeObject => {
  const unknown = Object.keys(params).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Refusal(400, `Received unknown parameter: ${unknown}`, { code: 'parameter_unknown', param: unknown })
  const mode = textIn(params, 'mode')
  if (mode !== 'payment' && mode !== 'subscription') throw new Refusal(400, 'Invalid mode', { param: 'mode' })
  for (const name of mode === 'payment' ? ['subscription_data'] : ['payment_intent_data', 'customer_creation'])
    if (params[name] !== undefined) throw new Refusal(400, `You can not pass ${name} in ${mode} mode.`, { param: name })
  const price = within(params, 'line_items', '0', 'price_data')
  const amount = Number(textIn(price, 'unit_amount'))
  const currency = textIn(price, 'currency')
  if (!Number.isInteger(amount) || currency === undefined || textIn(within(price, 'product_data'), 'name') === undefined)
    throw new Refusal(400, 'Missing required param', { code: 'parameter_missing', param: 'line_items[0][price_data]' })
  if ((within(price, 'recurring') !== undefined) !== (mode === 'subscription'))
    throw new Refusal(400, 'The price does not fit the mode', { param: 'line_items' })
  const expiresAt = Number(textIn(params, 'expires_at'))
  const inSeconds = expiresAt - now.getTime() / 1000
  if (!(inSeconds >= 30 * 60 && inSeconds <= 24 * 60 * 60))
    throw new Refusal(400, 'The `expires_at` timestamp must be between 30 minutes and 24 hours from now.', { param: 'expires_at' })
  const customer = textIn(params, 'customer') ?? null
  if (customer !== null && !objects.tables.customers.has(customer)) throw missing('customer', 'customer', 400)
  return objects.openSession({
    ...{ mode, amount, currency, customer, expiresAt, metadata: metadataIn(params) },
    madeMetadata: metadataIn(within(params, mode === 'payment' ? 'payment_intent_data' : 'subscription_data')),
    makesCustomer: params.customer_creation === 'always',
    clientReferenceId: textIn(params, 'client_reference_id') ?? null,
    returnUrl: textIn(params, 'success_url') ?? '',
  })
}

/** One page of a list, newest first. */
const listOf = (found: readonly StripeObject[], params: Form): unknown => {
  const newest = [...found].reverse()
  const after = textIn(params, 'starting_after')
  const from = after === undefined ? 0 : newest.findIndex(({ id }) => id === after) + 1
  const limit = Number(textIn(params, 'limit') ?? 10)
  return { object: 'list', data: newest.slice(from, from + limit), has_more: newest.length > from + limit, url: '/v1/list' }
}

type Route = readonly [method: string, path: RegExp, answer: (params: Form, id: string) => unknown]

const routesOf = (objects: StripeObjects, now: () => Date, url: () => string): readonly Route[] => {
  const { sessions, customers, subscriptions, invoices, invoicePayments, charges, disputes } = objects.tables
  const get = (table: Map<string, StripeObject>, what: string, id: string): StripeObject => {
    const found = table.get(id)
    if (found === undefined) throw missing(what, 'id')
    return found
  }
  return [
    ['POST', /^\/v1\/checkout\/sessions$/, (params) => openSession(objects, params, now())],
    ['GET', /^\/v1\/checkout\/sessions\/(\w+)$/, (_params, id) => get(sessions, 'checkout.session', id)],
    [
      'POST',
      /^\/v1\/checkout\/sessions\/(\w+)\/expire$/,
      (_params, id) => {
        const session = get(sessions, 'checkout.session', id)
        if (session.status !== 'open') throw new Refusal(400, 'Only Checkout Sessions with a status in ["open"] can be expired.')
        objects.report('checkout.session.expired', Object.assign(session, { status: 'expired' }))
        return session
      },
    ],
    ['POST', /^\/v1\/customers$/, (params) => get(customers, 'customer', objects.newCustomer(metadataIn(params)))],
    [
      'POST',
      /^\/v1\/billing_portal\/sessions$/,
      (params) => {
        const customer = textIn(params, 'customer') ?? ''
        if (!customers.has(customer)) throw missing('customer', 'customer', 400)
        return { id: `bps_${createId()}`, object: 'billing_portal.session', customer, url: `${url()}/portal/${customer}` }
      },
    ],
    ['GET', /^\/v1\/subscriptions$/, (params) => listOf([...subscriptions.values()], params)],
    [
      'DELETE',
      /^\/v1\/subscriptions\/(\w+)$/,
      (_params, id) => {
        if (get(subscriptions, 'subscription', id).status === 'canceled') throw missing('subscription', 'id')
        return objects.endSubscription(id)
      },
    ],
    [
      'GET',
      /^\/v1\/charges$/,
      (params) => {
        const since = Number(textIn(within(params, 'created'), 'gte') ?? 0)
        const found = [...charges.values()].filter(({ created }) => (created as number) >= since)
        return listOf(found, params)
      },
    ],
    ['GET', /^\/v1\/charges\/(\w+)$/, (_params, id) => get(charges, 'charge', id)],
    [
      'GET',
      /^\/v1\/invoice_payments$/,
      (params) => {
        const intent = textIn(within(params, 'payment'), 'payment_intent')
        const found = [...invoicePayments.values()].filter(({ payment }) => (payment as Form).payment_intent === intent)
        const isExpanded = textIn(within(params, 'expand'), '0') === 'data.invoice'
        const shown = found.map((link) => (isExpanded ? { ...link, invoice: invoices.get(link.invoice as string) } : link))
        return listOf(shown, params)
      },
    ],
    [
      'GET',
      /^\/v1\/disputes$/,
      ({ charge, ...params }) =>
        listOf(
          [...disputes.values()].filter((one) => one.charge === charge),
          params,
        ),
    ],
  ]
}

/** What it does instead of answering. */
export type Trouble = 'hang' | 'trickle' | 'drop' | 'garbage' | number

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

export const startStripeServer = async (now: () => Date = () => new Date()) => {
  const asked: Asked[] = []
  const remembered = new Map<string, { readonly request: string; readonly status: number; readonly body: unknown }>()
  let trouble: Trouble | null = null
  let url = ''
  const objects = createStripeObjects(now, (session) => `${url}/pay/${session}`)
  const routes = routesOf(objects, now, () => url)

  const answer = ({ method, path, params, headers }: Asked): unknown => {
    if (headers.authorization !== `Bearer ${secretKey}`) throw new Refusal(401, 'Invalid API Key provided: sk_test_***', {})
    for (const [wanted, pattern, work] of routes) {
      const match = method === wanted ? pattern.exec(path) : null
      if (match !== null) return structuredClone(work(params, match[1] ?? ''))
    }
    throw new Refusal(404, `Unrecognized request URL (${method}: ${path}).`)
  }

  /** A key answers once; what fails before anything was done is not remembered. */
  const answerOnce = (request: Asked): { readonly status: number; readonly body: unknown } => {
    const key = request.method === 'POST' ? request.headers['idempotency-key'] : undefined
    const text = JSON.stringify([request.path, request.params])
    const before = remembered.get(String(key))
    if (key !== undefined && before !== undefined) {
      if (before.request === text) return before
      const message = 'Keys for idempotent requests can only be used with the same parameters they were first used with.'
      return { status: 400, body: { error: { type: 'idempotency_error', message } } }
    }
    try {
      const done = { request: text, status: 200, body: answer(request) }
      if (key !== undefined) remembered.set(String(key), done)
      return done
    } catch (error) {
      if (error instanceof Refusal) return error
      throw error
    }
  }

  const send = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': `req_${createId()}` }).end(JSON.stringify(body))

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, search } = new URL(request.url ?? '', 'http://stripe.test')
    const text = await bodyOf(request)
    const { method = '', headers } = request
    const one = { method, path: pathname, params: readForm(method === 'POST' ? text : search.slice(1)), headers }
    asked.push(one)
    if (trouble === 'hang') return
    if (trouble === 'drop') request.socket.destroy()
    else if (trouble === 'trickle') {
      response.writeHead(200, { 'content-type': 'application/json' })
      const drops = setInterval(() => response.write(' '), 50)
      response.on('close', () => clearInterval(drops))
    } else if (trouble === 'garbage') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>a page of a proxy</html>')
    else if (trouble !== null) send(response, trouble, { error: { type: 'api_error', message: `we are sorry, ${headers.authorization}` } })
    else {
      const { status, body } = answerOnce(one)
      send(response, status, body)
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => send(response, 500, { error: { type: 'api_error', message: String(error) } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { webhooks } = new Stripe(secretKey)

  /** The request that delivers an event: its bytes and its headers. */
  const signed = (event: StripeEvent | string, { secret = webhookSecret, at = now() } = {}) => {
    const payload = typeof event === 'string' ? event : JSON.stringify(event, null, 2)
    const timestamp = Math.floor(at.getTime() / 1000)
    const signature = webhooks.generateTestHeaderString({ payload, secret, timestamp })
    const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature }
    return { body: Buffer.from(payload), headers }
  }

  return {
    ...objects,
    url,
    asked,
    signed,

    /** Until it is called with null. */
    have: (what: Trouble | null): void => {
      trouble = what
    },

    /** Sends these, one after the other, in the order of the list: what is twice in it is delivered twice. */
    deliver: async (
      endpoint: string,
      list: readonly StripeEvent[] = objects.events,
      how: Parameters<typeof signed>[1] = {},
    ): Promise<number[]> => {
      const statuses: number[] = []
      for (const event of list) statuses.push((await fetch(endpoint, { method: 'POST', ...signed(event, how) })).status)
      return statuses
    },

    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export type StripeServer = Awaited<ReturnType<typeof startStripeServer>>
