// Probe: the answer of an HTTP server.

import { z } from 'zod'
import { anyRecord } from '../../any-record.ts'
import { text, url, word } from '../field-schemas.ts'
import { differs, holds, timedOut } from '../observation.ts'
import { probeKind, type RunProbe } from '../probe-kind.ts'

export const HttpRequest = z.strictObject({
  url: url.describe('The address, with a service as its host: http://web/orders.'),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET').describe('The method of the request.'),
  headers: z.record(z.string(), word).default({}).describe('Headers of the request, by name.'),
  body: word.optional().describe('What is sent, as application/json unless a header says otherwise.'),
  timeout_ms: z.int().min(50).max(15_000).default(5_000).describe('How long the answer may take, in milliseconds.'),
})

const schema = HttpRequest.extend({
  expect: z
    .strictObject({
      status: z
        .union([z.int(), z.array(z.int())])
        .transform((value) => (Array.isArray(value) ? value : [value]))
        .describe('The status that must be answered, or a list of which one must be.'),
      body: text.optional().describe('Every text must appear in the body.'),
      body_lacks: text.optional().describe('None of these texts may appear in the body.'),
      headers: z.record(z.string(), word).optional().describe('Each header must hold its text.'),
    })
    .describe('What the answer must be.'),
})

const Answer = z.union([
  z.object({ error: z.string(), ms: z.number() }),
  z.object({ status: z.int(), headers: anyRecord(z.string()), body: z.string() }),
])

const run: RunProbe<typeof schema> = async ({ expect, ...request }, { observer }) => {
  const answer = await observer.ask({ ask: 'http', ...request }, Answer, request.timeout_ms + 5_000)
  const what = `${request.method} ${request.url.replace(/\?.*/, '')}`
  if ('error' in answer) return (answer.ms < request.timeout_ms ? differs : timedOut)(`${what}: ${answer.error}`)
  if (!expect.status.includes(answer.status)) return differs(`${what} answered ${answer.status}`)
  if ((expect.body ?? []).some((text) => !answer.body.includes(text)))
    return differs(`${what} answered ${answer.status} without the expected text in its body`)
  if ((expect.body_lacks ?? []).some((text) => answer.body.includes(text)))
    return differs(`${what} answered ${answer.status} with text in its body that must not be there`)
  const wrong = Object.entries(expect.headers ?? {}).find(([name, text]) => !answer.headers[name.toLowerCase()]?.includes(text))
  if (wrong !== undefined) return differs(`${what} answered without the expected ${wrong[0]} header`)
  return holds(`${what} answered ${answer.status}`)
}

export const kind = probeKind({
  looksAt: 'one request as a customer sends it: status, body, headers',
  from: 'the probe',
  schema,
  run,
})
