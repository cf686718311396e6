// The MCP edge on HTTP: one URL for the stateless revision and for the handshake of 2025, a fresh server per request.
// Never answers 401: that would send clients looking for an authorization server that does not exist.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, INVALID_REQUEST } from '@modelcontextprotocol/server'
import { messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import { createCard, createDiscovery } from './card.ts'
import { allowOrigin, answerPreflight, refusalOf } from './guard.ts'
import { createServers } from './server.ts'
import { type Features, loadTools } from './tool.ts'

export interface McpOptions {
  readonly log: Log
  readonly rootUrl: () => string
}

/** What is known of a request before it is read. */
export interface Arrival {
  readonly address: string
  readonly requestId: string
}

const path = '/api/v1/mcp'
const maxRequestBodySize = 1024 * 1024
const maxSubscriptions = 100

const sendJson = (response: ServerResponse, status: number, body: unknown, type = 'application/json'): void => {
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))
}

/** The endpoint and the two documents that describe it, ready to be mounted. */
export const createMcp = async (features: Features, { log, rootUrl }: McpOptions) => {
  const tools = await loadTools()
  const servers = createServers(tools, features, log)
  const current = new AsyncLocalStorage<Arrival & { readonly authorization: string | undefined }>()

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
    const refusal = refusalOf(request.headers, request.socket.localPort, rootUrl())
    if (refusal !== null) return sendJson(response, 403, { jsonrpc: '2.0', error: { code: INVALID_REQUEST, message: refusal }, id: null })
    allowOrigin(request, response)
    if (request.method === 'OPTIONS') return answerPreflight(response)
    await current.run({ ...arrival, authorization: request.headers.authorization }, () => serve(request, response))
  }

  const describe = (make: (endpoint: string) => unknown, type?: string) => async (_request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('cache-control', 'public, max-age=300')
    sendJson(response, 200, make(`${rootUrl()}${path}`), type)
  }
  const names = tools.map(({ name }) => name)

  return {
    mounts: [
      { path, handle },
      {
        path: `${path}/server-card`,
        methods: ['GET'],
        handle: describe((endpoint) => createCard(endpoint, rootUrl()), 'application/mcp-server-card+json'),
      },
      { path: '/.well-known/mcp.json', methods: ['GET'], handle: describe((endpoint) => createDiscovery(endpoint, rootUrl(), names)) },
    ],

    /** Lets running tools finish, then ends every stream that is still open. */
    close: async (): Promise<void> => {
      await servers.idle()
      await sdk.close()
    },
  }
}
