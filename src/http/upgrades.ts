// WebSocket upgrades: which are accepted, and from which origins. Browsers send the Origin of the page; other programs send none and
// are not restricted.

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { basePath } from '../contract/api-version.ts'
import { terminalPath } from '../contract/terminal.ts'
import { LabError } from '../errors.ts'
import type { Hosts } from '../hosts.ts'
import { isLocalOrigin } from './same-origin.ts'

/** Other upgrades (Java's client offers h2c) are ignored: the request is answered normally. */
export const isTerminal = ({ headers, url }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && url?.split('?')[0] === basePath + terminalPath

/** A page of this service, or of an origin that the operator names. */
export const isOwnPage = (origin: string, hosts: Hosts, port: number | undefined): boolean =>
  hosts.origins().includes(origin) || isLocalOrigin(origin, port)

export const guardUpgrades = (app: FastifyInstance, hosts: Hosts): void => {
  app.addHook('onRequest', (request, reply, done) => {
    if (!isTerminal(request.raw)) return done()
    const { socket } = request.raw
    reply.raw.once('finish', () => socket.destroySoon()) // it was refused, and the connection is no longer read
    const { origin } = request.headers
    if (origin === undefined || isOwnPage(origin, hosts, socket.localPort)) return done()
    done(
      new LabError('forbidden', 'pages of this origin may not open a terminal', {
        hint: 'open it from a page of this service, or from a program that sends no Origin',
      }),
    )
  })
}
