import Fastify from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { expect, it } from 'vitest'
import { z } from 'zod'
import type { Account } from '../accounts/caller.ts'
import { createRememberedRequests } from '../accounts/remembered-requests.ts'
import { systemClock } from '../clock.ts'
import { openStore } from '../store/store.ts'
import { rememberWrites } from './idempotency.ts'

const key = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'
const caller: Account = { kind: 'account', accountId: 'ada', role: 'member' }

/** A service with one write, whose answer has one field. */
const open = async () => {
  const { requests: store } = await openStore({ databaseUrl: undefined, file: ':memory:', now: new Date() })
  const limits = { idempotencyHours: 24, keptAccountBytes: 10_000 }
  const requests = createRememberedRequests({ store, clock: systemClock, node: 'here', bootId: 'one', limits })
  const app = Fastify().withTypeProvider<ZodTypeProvider>()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request) => {
    request.caller = caller
  })
  rememberWrites(app, { requests, sessionIdOf: (id) => id, restore: async ({ body }) => JSON.parse(body), mostBytes: 10_000 })
  let calls = 0
  const refusal = { description: 'refused', content: { 'application/json': { schema: z.object({ error: z.string() }) } } }
  const schema = { response: { 200: z.object({ count: z.int() }), 404: refusal } }
  const count = async () => {
    calls += 1
    return { count: calls, secret: 'kept to ourselves' }
  }
  app.post('/count', { schema, config: { recover: 'again' } }, count)
  app.post('/sign-in', { schema }, count)
  const post = (url = '/count') => app.inject({ method: 'POST', url, headers: { 'idempotency-key': key } })
  return { requests, post }
}

it('replays the answer byte for byte, headers of its content included', async () => {
  const { post } = await open()
  const [first, second] = [await post(), await post()]
  expect(first.payload).toBe('{"count":1}')
  expect([second.statusCode, second.payload]).toEqual([first.statusCode, first.payload])
  expect(second.headers['content-type']).toBe(first.headers['content-type'])
  expect([first, second].map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true'])
})

it('sends a kept answer through the schema of its route, as a fresh one', async () => {
  const { requests, post } = await open()
  const remembered = await requests.begin({ accountId: 'ada', method: 'POST', path: '/count', key }, null)
  await requests.finish(remembered.id, 200, { body: '{"count":7,"secret":"of an earlier version"}', sandboxes: [] })
  expect((await post()).payload).toBe('{"count":7}')
})

it('tells that it was executed when an earlier version stored an answer that the route no longer sends', async () => {
  const { requests, post } = await open()
  const remembered = await requests.begin({ accountId: 'ada', method: 'POST', path: '/count', key }, null)
  await requests.finish(remembered.id, 200, { body: '{"counted":7}', sandboxes: [] })
  expect(await post()).toMatchObject({ headers: { 'idempotent-replayed': 'true' }, payload: expect.stringContaining('another version') })
})

it('replays a refusal, which the route describes by its media type', async () => {
  const { requests, post } = await open()
  const remembered = await requests.begin({ accountId: 'ada', method: 'POST', path: '/count', key }, null)
  await requests.finish(remembered.id, 404, { body: '{"error":"gone"}', sandboxes: [] })
  expect(await post()).toMatchObject({ statusCode: 404, payload: '{"error":"gone"}' })
})

it('remembers nothing of a route that does not say how a retry is handled', async () => {
  const { post } = await open()
  const answers = [await post('/sign-in'), await post('/sign-in')]
  expect(answers.map(({ payload, headers }) => [payload, headers['idempotent-replayed']])).toEqual([
    ['{"count":1}', undefined],
    ['{"count":2}', undefined],
  ])
})
