import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { LabError, statusOf } from '../errors.ts'
import { createRateLimit } from '../rate-limit.ts'
import { countFailures, countRequests } from './rate-counting.ts'

const rates = { read: 3, write: 3, start: 3, exec: 3, auth: 3 }

const open = async () => {
  const limit = createRateLimit({ rates: { anonymous: rates, account: rates }, scale: 1, now: () => 0 })
  const app = Fastify()
  app.decorateRequest('caller', null)
  app.setErrorHandler((error, _request, reply) => reply.code(error instanceof LabError ? statusOf[error.code] : 500).send())
  countRequests(app, limit)
  app.post('/report', { config: { rate: 'write', countsFailures: true }, onResponse: countFailures(limit) }, async ({ headers }) => {
    if (headers.outcome === 'wrong') throw new LabError('invalid_signature', 'wrong')
    if (headers.outcome === 'ours') throw new Error('ours')
    return { received: true }
  })
  return async (outcome: string) => {
    const { statusCode, headers } = await app.inject({ method: 'POST', url: '/report', headers: { outcome } })
    return [statusCode, Number(headers['ratelimit-limit'])]
  }
}

it('counts only what was the fault of the sender, where a route asks for it', async () => {
  const send = await open()
  for (let count = 0; count < 10; count += 1) expect(await send('right')).toEqual([200, 3])
  for (let count = 0; count < 10; count += 1) expect(await send('ours')).toEqual([500, 3])
  for (let count = 0; count < 3; count += 1) expect(await send('wrong')).toEqual([400, 3])
  expect(await send('wrong')).toEqual([429, 3])
  expect(await send('right')).toEqual([429, 3])
})
