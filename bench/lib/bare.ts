// The baseline of the HTTP benchmark: a bare Fastify route that returns given headers and bytes.

import Fastify from 'fastify'

const app = Fastify()
process.once('message', ({ headers, body }: { headers: Record<string, string>; body: string }) => {
  const bytes = Buffer.from(body)
  app.get('/', (_request, reply) => {
    reply.headers(headers).send(bytes)
  })
  app.listen({ port: 0 }).then(() => process.send?.((app.server.address() as { port: number }).port))
})
