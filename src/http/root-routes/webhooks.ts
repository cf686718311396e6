// Where payment providers report. What they sign are the bytes, so these are read as they are. A report that is verified is never
// limited; wrong ones are, by network, and only a few are worked on at a time, so that a storm of either kind leaves room for others.

import type { FastifyRequest } from 'fastify'
import { WebhookBody, WebhookParams, WebhookReceived } from '../../contract/webhook.ts'
import { isLabError } from '../../errors.ts'
import type { Routes } from '../app.ts'
import { keepBytes } from '../body.ts'
import { operation } from '../operation.ts'
import { countFailures } from '../rate-counting.ts'
import { validateRequests } from '../validation.ts'
import { createIntake } from '../webhook-intake.ts'

export const routes: Routes = (app, { commerce: { payments }, rateLimit }) => {
  keepBytes(app)
  const intake = createIntake()
  const count = countFailures(rateLimit)
  /** Signed by the provider, though they cannot be read. */
  const verified = new WeakSet<FastifyRequest>()
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
      onResponse: (request, reply, done) => (verified.has(request) ? done() : count(request, reply, done)),
    },
    async (request) => {
      const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      await intake(() => payments.receive(request.params.provider, bytes, request.headers)).catch((error: unknown) => {
        if (isLabError(error, 'unreadable_event')) verified.add(request)
        throw error
      })
      return { received: true as const }
    },
  )
}
