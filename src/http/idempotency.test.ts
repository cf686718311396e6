import Fastify from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { expect, it } from 'vitest'
import { z } from 'zod'
import type { Account, LabHolder } from '../accounts/caller.ts'
import { createIdempotentRequests } from '../accounts/idempotent-requests.ts'
import { systemClock } from '../clock.ts'
import { LabError } from '../errors.ts'
import { openStore } from '../store/store.ts'
import { rememberWrites } from './idempotency.ts'

const key = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'
const caller: Account = { kind: 'account', accountId: 'ada', role: 'member' }
const holder = (accessId: string, sandboxId = 'lab'): LabHolder => ({
  ...{ kind: 'lab', accessId, sandboxId, role: 'owner', invitationId: null, place: null },
})

const secret = 'told-once'
const invitation = { response: { 201: z.object({ invitation_url: z.string(), token: z.string(), ticket: z.string() }) } }

/** A service whose writes answer with one field, or with what opens something. */
const open = async () => {
  const { requests: store } = await openStore({ databaseUrl: undefined, file: ':memory:', now: new Date() })
  const limits = { idempotencyHours: 24, keptAccountBytes: 10_000 }
  const requests = createIdempotentRequests({ store, clock: systemClock, node: 'here', bootId: 'one', limits })
  const app = Fastify().withTypeProvider<ZodTypeProvider>()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.decorateRequest('caller', null)
  app.decorateRequest('labHolder', null)
  let who: Account | LabHolder | null = caller
  app.addHook('onRequest', async (request) => {
    request.caller = who?.kind === 'account' ? who : null
    request.labHolder = who?.kind === 'lab' ? who : null
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
  app.post('/in-lab', { schema, config: { recover: 'unknown', lab: true } }, count)
  const told = () => new LabError('idempotency_answer_not_kept', 'told once')
  app.post('/invite', { schema: invitation, config: { recover: 'unknown', lab: true, replayed: told } }, async (_request, reply) =>
    reply.code(201).send({ invitation_url: `/#${secret}`, token: secret, ticket: secret }),
  )
  const post = (url = '/count', by: Account | LabHolder | null = caller) => {
    who = by
    return app.inject({ method: 'POST', url, headers: { 'idempotency-key': key } })
  }
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
  const remembered = await requests.begin({ writer: caller, method: 'POST', path: '/count', key }, null)
  await requests.finish(remembered.id, 200, { body: '{"count":7,"secret":"of an earlier version"}', sandboxes: [] })
  expect((await post()).payload).toBe('{"count":7}')
})

it('tells that it was executed when an earlier version stored an answer that the route no longer sends', async () => {
  const { requests, post } = await open()
  const remembered = await requests.begin({ writer: caller, method: 'POST', path: '/count', key }, null)
  await requests.finish(remembered.id, 200, { body: '{"counted":7}', sandboxes: [] })
  expect(await post()).toMatchObject({ headers: { 'idempotent-replayed': 'true' }, payload: expect.stringContaining('another version') })
})

it('replays a refusal, which the route describes by its media type', async () => {
  const { requests, post } = await open()
  const remembered = await requests.begin({ writer: caller, method: 'POST', path: '/count', key }, null)
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

it('remembers what was asked with the token of a lab, for each who has one', async () => {
  const { post } = await open()
  const first = holder('first')
  const answers = [await post('/in-lab', first), await post('/in-lab', first), await post('/in-lab', { ...first, role: 'partner' })]
  expect(answers.map(({ payload }) => payload)).toEqual(Array(3).fill('{"count":1}'))
  expect(answers.map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true', 'true'])
  const others: string[] = []
  for (const by of [holder('second'), holder('first', 'another'), caller]) others.push((await post('/in-lab', by)).payload)
  expect(others).toEqual([2, 3, 4].map((count) => JSON.stringify({ count })))
})

it('remembers nothing of those without a credential, and of the token of a lab where it opens nothing', async () => {
  const { post } = await open()
  const answers = [
    await post('/count', null),
    await post('/count', null),
    await post('/count', holder('x')),
    await post('/count', holder('x')),
  ]
  expect(answers.map(({ payload }) => payload)).toEqual([1, 2, 3, 4].map((count) => JSON.stringify({ count })))
})

it.each([
  ['an account', caller],
  ['the token of a lab', holder('x')],
])('never sends once more what is told once, to %s', async (_who, by) => {
  const { requests, post } = await open()
  const [first, again] = [await post('/invite', by), await post('/invite', by)]
  expect([first.statusCode, first.payload.split(secret).length]).toEqual([201, 4])
  expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([500, 'true'])
  const remembered = await requests.begin({ writer: by, method: 'POST', path: '/invite', key }, null)
  for (const text of [again.payload, JSON.stringify(remembered)]) expect(text).not.toContain(secret)
  expect(remembered).toMatchObject({ state: 'answered', status: 201 })
})
