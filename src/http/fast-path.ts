// Answers public reads that are cached without the router, whose hooks would take half of the time of such a request. A request with
// anything unusual goes through the router.

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

/** Headers that do not affect the response; a request with any other header goes through the router. */
const harmless = new Set([
  ...['host', 'user-agent', 'accept', 'accept-encoding', 'accept-language', 'connection'],
  ...['origin', 'referer', 'sec-fetch-dest', 'sec-fetch-mode', 'sec-fetch-site'],
])

/** Checks the raw headers, which is cheaper than the parsed ones. */
const isPlain = ({ rawHeaders }: IncomingMessage): boolean => {
  let hasHost = false
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase()
    if (!harmless.has(name)) return false
    if (name === 'host') hasHost = true
  }
  return hasHost
}

/** Answers the request, or returns false to pass it to the router. */
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
    response.writeHead(200, ['x-request-id', request_id, ...rateHeaderList(allowance), ...read.rawHeaders]).end(read.bytesAsText, 'latin1')
    note({ request_id, method: 'GET', route: read.route, status: 200, ms: elapsed(), account: undefined })
    return true
  }

/** Puts the fast path before the listeners that the server has now. */
export const interceptRequests = (server: Server, front: FastPath): void => {
  const listeners = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    if (front(request, response)) return
    for (const take of listeners) take(request, response)
  })
}
