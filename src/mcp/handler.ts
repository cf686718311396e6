// The MCP endpoints on HTTP. One URL serves the stateless revision and the 2025 handshake, with a new server object per request; another
// one serves the event streams of 2024-11-05, with a server object per stream. All have the same tools, limits and checks.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { basePath } from '../contract/api-version.ts'
import { messageOf } from '../errors.ts'
import type { Features } from '../features.ts'
import type { Hosts } from '../hosts.ts'
import type { Log } from '../log.ts'
import type { RateLimit } from '../rate-limit.ts'
import { createAuthentication } from './authentication.ts'
import { createCard, createDiscovery, protocolVersions } from './card.ts'
import { type Arrival, createIntake, maxRequestBodySize } from './intake.ts'
import { plainResponse } from './plain-errors.ts'
import { sendJson } from './responses.ts'
import { createServers, type Exchange } from './server.ts'
import { createSse } from './sse.ts'
import { loadTools } from './tool.ts'

export interface McpOptions {
  readonly log: Log
  readonly hosts: Hosts
  /** Null where calls are not limited. */
  readonly rateLimit: RateLimit | null
}

const path = `${basePath}/mcp`
const methods = ['POST']
const sseMethods = ['GET', 'POST']
/** Subscriptions end at once, because nothing that can be subscribed to changes (server.ts). */
const maxSubscriptions = 100
/** It repeats what a client sent. */
const longestReason = 200

/** Aborted when the connection is closed before all of the response was sent. */
const disconnectionOf = (response: ServerResponse): AbortSignal => {
  const controller = new AbortController()
  const abort = () => response.writableFinished || controller.abort()
  if (response.destroyed) abort()
  else response.once('close', abort)
  return controller.signal
}

/** The endpoints and the two documents that describe them, ready to be mounted. */
export const createMcp = async (features: Features, { log, hosts, rateLimit }: McpOptions) => {
  const tools = await loadTools()
  const servers = createServers(tools, features, log)
  const authentication = createAuthentication({ rateLimit, tokens: features.tokens, tools })
  const current = new AsyncLocalStorage<Exchange>()
  const exchange = (): Exchange => {
    const found = current.getStore()
    if (found === undefined) throw new Error('a server was used outside a request')
    return found
  }

  const sdk = createMcpHandler(
    ({ era }) => {
      const only = { ...exchange(), closingCancels: era === 'modern' }
      return servers.create(() => only, protocolVersions.streamableHttp)
    },
    {
      legacy: 'stateless',
      maxRequestBodySize,
      maxSubscriptions,
      onerror: (error) => log.info({ reason: messageOf(error).slice(0, longestReason) }, 'an MCP request was not served'),
    },
  )
  const inPlainWords = { fetch: async (...exchange: Parameters<typeof sdk.fetch>) => plainResponse(await sdk.fetch(...exchange)) }
  const serve = toNodeHandler(inPlainWords, { maxRequestBodySize, onerror: (error) => log.error({ err: error }, 'an MCP request failed') })
  const receivePosts = createIntake(authentication, hosts, methods)

  const handle = async (request: IncomingMessage, response: ServerResponse, arrival: Arrival): Promise<void> => {
    const received = await receivePosts(request, response, arrival)
    if (received === null) return
    const disconnected = disconnectionOf(response)
    const { message, ...counted } = received
    request.url = path // a target may be a whole URL, which the SDK does not expect
    await current.run({ ...counted, disconnected, closingCancels: false }, () => serve(request, response, message))
  }

  const createServer = () => servers.create(exchange, protocolVersions.sse)
  const sse = createSse({ path: `${path}/sse`, createServer, current, limits: features.limits })
  const receiveForStreams = createIntake(authentication, hosts, sseMethods)

  const handleSse = async (request: IncomingMessage, response: ServerResponse, arrival: Arrival): Promise<void> => {
    const received = await receiveForStreams(request, response, arrival)
    if (received !== null) await sse.handle(received, request, response)
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
      { path, methods, handle },
      { path: `${path}/sse`, methods: sseMethods, handle: handleSse },
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
      sse.close()
      await sdk.close()
    },
  }
}
