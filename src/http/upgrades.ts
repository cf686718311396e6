// Upgrades to a WebSocket: which ones there are, and which web pages may ask for one. A browser tells the page of every
// WebSocket; a program that is none sends no Origin and is not meant.

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { basePath } from '../contract/api-version.ts'
import { terminalPath } from '../contract/terminal.ts'
import { LabError } from '../errors.ts'
import type { Hosts } from '../hosts.ts'

const loopback = ['localhost', '127.0.0.1', '[::1]']

/** Any other upgrade that is asked for (Java's client offers h2c) is left aside: the request is served as it is. */
export const isTerminal = ({ headers, url }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && url?.split('?')[0] === basePath + terminalPath

/** Nothing that the request says of its own host counts: a foreign name may lead here, too. */
export const isOwnPage = (origin: string, hosts: Hosts, port: number | undefined): boolean =>
  hosts.origins().includes(origin) || loopback.some((name) => origin === `http://${name}${port === 80 ? '' : `:${port}`}`)

export const guardUpgrades = (app: FastifyInstance, hosts: Hosts): void => {
  app.addHook('onRequest', (request, reply, done) => {
    if (!isTerminal(request.raw)) return done()
    const { socket } = request.raw
    reply.raw.once('finish', () => socket.destroySoon()) // it was refused, and nobody reads the connection any more
    const { origin } = request.headers
    if (origin === undefined || isOwnPage(origin, hosts, socket.localPort)) return done()
    done(
      new LabError('forbidden', 'pages of this origin may not open a terminal', {
        hint: 'the operator names the public address in LAB_PUBLIC_URL, and other pages in LAB_ALLOWED_ORIGINS',
      }),
    )
  })
}
