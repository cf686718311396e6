import Fastify from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { expect, it } from 'vitest'
import { isLabError, statusOf } from '../../errors.ts'
import { routes } from './batch.ts'

const runBatch = async (path: string): Promise<number> => {
  const app = Fastify()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler((error, _request, reply) => reply.code(isLabError(error) ? statusOf[error.code] : 500).send())
  app.decorateRequest('requestId', undefined)
  routes(app as never, { limits: { batchItems: 20 } } as never, undefined as never)
  const { statusCode } = await app.inject({ method: 'POST', url: '/batch', payload: { requests: [{ method: 'POST', path, body: {} }] } })
  await app.close()
  return statusCode
}

it.each([
  ...['/shared/report', '/shared/report/', '/shared/recordings/0', '/api/v1/shared/report', '/shared/report?x=1'],
  ...['/labs/access', '/labs/access/', '/visitor/labs', '/visitor/labs/0/ticket'],
  ...['/batch', '/auth/tokens', '/mcp', '/mcp/sse', '/sandbox/0/events'],
])('%s is no item of a batch, whose answer is kept', async (path) => {
  expect(await runBatch(path)).toBe(400)
})

it.each(['/labs/capacity', '/sandbox/0/share', '/sandbox/exec'])('%s is one', async (path) => {
  expect(await runBatch(path)).toBe(200)
})
