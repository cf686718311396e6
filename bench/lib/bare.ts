// A bare Fastify route that returns the bytes it is given: what is left when everything of ours is taken away.

import Fastify from 'fastify'

const app = Fastify()
process.once('message', (text: string) => {
  const body = Buffer.from(text)
  app.get('/', (_request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8').send(body)
  })
  app.listen({ port: 0 }).then(() => process.send?.((app.server.address() as { port: number }).port))
})
