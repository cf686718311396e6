// Where payment providers report. What they sign are the bytes, so these are read as they are. A report that is verified does
// not count, but only a few are worked on at a time, so that a storm of them leaves room for others. Wrong ones are refused before that, and
// count; a network that has sent too many is refused before anything of it is read.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { WebhookBody, WebhookParams, WebhookReceived } from '../../contract/webhook.ts'
import type { Routes } from '../app.ts'
import { keepBytes } from '../body.ts'
import { operation } from '../operation.ts'
import { countFailures, count as countNow } from '../rate-counting.ts'
import { validateRequests } from '../validation.ts'
import { createIntake } from '../webhook-intake.ts'

export const routes: Routes = (app, { commerce: { payments }, rateLimit }) => {
  keepBytes(app)
  const intake = createIntake()
  const count = countFailures(rateLimit)
  /** Requests that are not counted once they are answered: signed by the provider, or counted already. */
  const counted = new WeakSet<FastifyRequest>()
  /** A wrong one counts before it is answered, so that many at once do not pass the limit. */
  const verified = (request: FastifyRequest<{ Params: WebhookParams }>, reply: FastifyReply, bytes: Buffer) => {
    try {
      return payments.verify(request.params.provider, bytes, request.headers)
    } catch (error) {
      countNow(rateLimit, reply, { kind: 'anonymous', address: request.ip }, 'write')
      throw error
    }
  }
  const receive = operation(
    {
      id: 'receiveWebhook',
      tag: 'Payments',
      summary: 'Receive a report of a payment provider',
      description:
        'For the payment provider alone: the body must be signed with the secret that it shares with this service, within five minutes. The same ' +
        'report may come any number of times, in any order with others. 404 for a provider that is not in use here.',
      access: 'public',
      atRoot: true,
      rate: 'write',
      errors: [
        ...(['invalid_signature', 'unreadable_event', 'cross_site_request', 'not_found'] as const),
        ...(['payload_too_large', 'unsupported_media_type', 'payment_provider_unavailable'] as const),
      ],
    },
    { params: WebhookParams, body: WebhookBody, response: { 200: WebhookReceived } },
  )
  app.post(
    '/webhooks/:provider',
    {
      ...receive,
      config: { ...receive.config, countsFailures: true },
      /** The bytes are verified, not validated. */
      validatorCompiler: (input) => (input.httpPart === 'body' ? (value: unknown) => ({ value }) : validateRequests(input as never)),
      onResponse: (request, reply, done) => (counted.has(request) ? done() : count(request, reply, done)),
    },
    async (request, reply) => {
      const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      counted.add(request)
      await intake(verified(request, reply, bytes))
      return { received: true as const }
    },
  )
}
