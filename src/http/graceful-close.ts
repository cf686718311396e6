// A server that closes finishes the requests in progress, refuses new ones, and waits for no connection without a request.

import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { LabError } from '../errors.ts'

const sweepMs = 100

export const closeGracefully = (app: FastifyInstance): void => {
  const open = new Set<Socket>()
  let closing = false
  app.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  app.addHook('preClose', async () => {
    closing = true
    // Clients open some ahead, browsers too. For Node these have a request in progress.
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    const sweep = setInterval(() => app.server.closeIdleConnections(), sweepMs) // streams that were ended leave theirs open
    app.server.once('close', () => clearInterval(sweep))
  })
  app.addHook('onRequest', (_request, _reply, done) => {
    if (!closing) return done()
    done(new LabError('shutting_down', 'the service is shutting down', { hint: 'try again shortly', retryAfterSeconds: 5 }))
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close')
    done(null, payload)
  })
}
