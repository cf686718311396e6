// A bare Fastify route that returns the bytes it is given, headers and body: what is left when all else of ours is taken away.

import Fastify from 'fastify'

const app = Fastify()
process.once('message', ({ headers, body }: { headers: Record<string, string>; body: string }) => {
  const bytes = Buffer.from(body)
  app.get('/', (_request, reply) => {
    reply.headers(headers).send(bytes)
  })
  app.listen({ port: 0 }).then(() => process.send?.((app.server.address() as { port: number }).port))
})
