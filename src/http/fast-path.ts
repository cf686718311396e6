// Answers the commonest request, a public read that is cached, before the router sees it: half of what such a request costs
// is the way through the router and its hooks. Whatever is special about a request sends it that way after all.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { stopwatch } from '../clock.ts'
import { createId } from '../ids.ts'
import { type RateLimit, rateHeaderList } from '../rate-limit.ts'
import type { AnsweredRequest } from '../request-log.ts'
import type { ResponseCache } from './response-cache.ts'

export interface FastPathOptions {
  readonly cache: ResponseCache
  readonly rateLimit: RateLimit | null
  readonly note: (answered: AnsweredRequest) => void
}

/** With any other header, a request may mean more than its address. */
const harmless = new Set(['host', 'user-agent', 'accept', 'accept-encoding', 'accept-language', 'connection', 'sec-fetch-mode'])

/** Looks at what arrived as it arrived: cheaper than having it parsed. */
const isPlain = ({ rawHeaders }: IncomingMessage): boolean => {
  let hasHost = false
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase()
    if (!harmless.has(name)) return false
    if (name === 'host') hasHost = true
  }
  return hasHost
}

/** Answers, or returns false when it is the router's business. */
export type FastPath = (request: IncomingMessage, response: ServerResponse) => boolean

export const createFastPath =
  ({ cache, rateLimit, note }: FastPathOptions): FastPath =>
  (request, response) => {
    const read = request.method === 'GET' ? cache.find(request.url ?? '') : undefined
    if (read === undefined || !isPlain(request)) return false
    const elapsed = stopwatch()
    const allowance = rateLimit?.take({ kind: 'anonymous', address: request.socket.remoteAddress ?? '' }, 'read') ?? null
    if (allowance?.allowed === false) return false
    const request_id = createId()
    response.writeHead(200, ['x-request-id', request_id, ...rateHeaderList(allowance), ...read.rawHeaders]).end(read.body)
    note({ request_id, method: 'GET', route: read.route, status: 200, ms: elapsed(), account: undefined })
    return true
  }

/** What the front answers, no listener that the server has by now sees. */
export const interceptRequests = (server: Server, front: FastPath): void => {
  const listeners = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    if (front(request, response)) return
    for (const take of listeners) take(request, response)
  })
}
