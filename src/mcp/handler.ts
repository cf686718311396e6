// The MCP endpoint on HTTP: one URL for the stateless revision and for the 2025 handshake, with a new server object per request.
// Never answers 401, because clients would then look for an authorization server, which does not exist.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, INVALID_REQUEST } from '@modelcontextprotocol/server'
import { basePath } from '../contract/api-version.ts'
import { messageOf } from '../errors.ts'
import type { Features } from '../features.ts'
import type { Hosts } from '../hosts.ts'
import type { Log } from '../log.ts'
import { type Allowance, type RateLimit, rateHeaders } from '../rate-limit.ts'
import { type CountedRequest, createAuthentication } from './authentication.ts'
import { createCard, createDiscovery } from './card.ts'
import { allowOrigin, answerPreflight, refusalOf } from './guard.ts'
import { type Refusal, readMessage } from './message.ts'
import { createServers } from './server.ts'
import { loadTools } from './tool.ts'

export interface McpOptions {
  readonly log: Log
  readonly hosts: Hosts
  /** Null where calls are not limited. */
  readonly rateLimit: RateLimit | null
}

/** What is known of a request before it is read. */
export interface Arrival {
  readonly address: string
  readonly requestId: string
}

const path = `${basePath}/mcp`
const maxRequestBodySize = 1024 * 1024
/** Subscriptions end at once, because nothing that can be subscribed to changes (server.ts). */
const maxSubscriptions = 100
/** When the rate limit is reached, longer bodies are not read, because reading costs more than refusing. */
const shortBodySize = 16 * 1024

const sendJson = (response: ServerResponse, status: number, body: unknown, type = 'application/json'): void => {
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))
}

/** The JSON-RPC error code for a reached rate limit, outside the reserved range. */
const rateLimited = 429

const refuseForNow = (response: ServerResponse, id: unknown, allowance: Allowance): void => {
  const retryAfterSeconds = Math.max(1, allowance.resetSeconds)
  for (const [name, value] of Object.entries(rateHeaders(allowance))) response.setHeader(name, value)
  const data = { code: 'rate_limited', retry_after_seconds: retryAfterSeconds }
  response.setHeader('retry-after', retryAfterSeconds)
  const known = typeof id === 'string' || typeof id === 'number' ? id : null
  sendJson(response, 429, { jsonrpc: '2.0', error: { code: rateLimited, message: 'too many requests', data }, id: known })
}

const refuseBody = (response: ServerResponse, { status, code, reason }: Refusal): void => {
  if (status === 413) response.setHeader('connection', 'close') // the rest of the body is not read
  sendJson(response, status, { jsonrpc: '2.0', error: { code, message: reason }, id: null })
}

/** A body without Content-Length may be long. */
const isLong = ({ headers }: IncomingMessage): boolean => !(Number(headers['content-length'] ?? Number.NaN) <= shortBodySize)

/** The endpoint and the two documents that describe it, ready to be mounted. */
export const createMcp = async (features: Features, { log, hosts, rateLimit }: McpOptions) => {
  const tools = await loadTools()
  const servers = createServers(tools, features, log)
  const authentication = createAuthentication({ rateLimit, tokens: features.tokens, tools })
  const current = new AsyncLocalStorage<Arrival & CountedRequest>()

  const sdk = createMcpHandler(
    ({ era }) => {
      const arrival = current.getStore()
      if (arrival === undefined) throw new Error('a server was asked for outside a request')
      return servers.create({ ...arrival, closingWithdraws: era === 'modern' })
    },
    {
      legacy: 'stateless',
      maxRequestBodySize,
      maxSubscriptions,
      onerror: (error) => log.info({ reason: messageOf(error) }, 'an MCP request was not served'),
    },
  )
  const serve = toNodeHandler(sdk, { maxRequestBodySize, onerror: (error) => log.error({ err: error }, 'an MCP request failed') })

  const handle = async (request: IncomingMessage, response: ServerResponse, arrival: Arrival): Promise<void> => {
    const refusal = refusalOf(request.headers, request.socket.localPort, hosts.all(), hosts.origins())
    if (refusal !== null) return sendJson(response, 403, { jsonrpc: '2.0', error: { code: INVALID_REQUEST, message: refusal }, id: null })
    allowOrigin(request, response)
    if (request.method === 'OPTIONS') return answerPreflight(response)
    const isPost = request.method === 'POST'
    const asker = await authentication.arrive(request.headers.authorization, arrival.address)
    const hold = isPost && isLong(request) ? authentication.hold(asker) : null
    if (hold?.allowance?.allowed === false) return refuseForNow(response, null, hold.allowance) // Node discards the body
    const reading = isPost ? await readMessage(request, maxRequestBodySize) : { message: {} }
    hold?.release() // an aborted body stays counted, because no message will be
    const message = 'message' in reading ? reading.message : {}
    const admission = await authentication.admit(message, asker, arrival.address)
    const { allowance } = admission
    if (allowance?.allowed === false) return refuseForNow(response, message.id, allowance)
    for (const [name, value] of Object.entries(rateHeaders(allowance))) response.setHeader(name, value)
    if ('refusal' in reading) return refuseBody(response, reading.refusal)
    await current.run({ ...arrival, ...admission }, () => serve(request, response, isPost ? message : undefined))
  }

  const describe =
    (make: (endpoint: string, root: string) => unknown, type?: string) => async (request: IncomingMessage, response: ServerResponse) => {
      const root = hosts.rootUrlFor(request.headers.host)
      response.setHeader('access-control-allow-origin', '*')
      response.setHeader('cache-control', 'public, max-age=300')
      sendJson(response, 200, make(`${root}${path}`, root), type)
    }
  const names = tools.map(({ name }) => name)

  return {
    mounts: [
      { path, handle },
      {
        path: `${path}/server-card`,
        methods: ['GET'],
        isDocument: true,
        handle: describe(createCard, 'application/mcp-server-card+json'),
      },
      {
        path: '/.well-known/mcp.json',
        methods: ['GET'],
        isDocument: true,
        handle: describe((endpoint, root) => createDiscovery(endpoint, root, names)),
      },
    ],

    /** Waits for running tools, then closes open streams. */
    close: async (): Promise<void> => {
      await servers.idle()
      await sdk.close()
    },
  }
}
