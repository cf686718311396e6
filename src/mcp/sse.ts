// The HTTP+SSE transport of the 2024-11-05 revision: GET opens an event stream and tells where to post; what is posted there is answered
// by an event. A stream belongs to the account, or else the network, that opened it. It ends with its connection, and its calls with it.

import type { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { INVALID_REQUEST, type JSONRPCMessage, type McpServer, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server'
import type { Caller } from '../accounts/caller.ts'
import { networkOf } from '../client-network.ts'
import { elapsedMs } from '../clock.ts'
import type { Limits } from '../configured-limits.ts'
import type { Received } from './intake.ts'
import { refuseMore, sendRpcError } from './responses.ts'
import type { Exchange } from './server.ts'
import { createSseTransport, isOpen, keepAlive } from './sse-transport.ts'

export interface SseOptions {
  readonly path: string
  readonly createServer: () => McpServer
  /** The request that a call belongs to, for the server. */
  readonly current: AsyncLocalStorage<Exchange>
  readonly limits: Pick<Limits, 'mcpStreams' | 'networkMcpStreams'>
  readonly keepAliveMs?: number
  /** A stream on which nothing was asked for so long is closed. */
  readonly idleMs?: number
}

interface Stream {
  readonly owner: string
  readonly transport: Transport
  readonly isOpen: () => boolean
  readonly close: () => void
  readonly calls: Set<Promise<unknown>>
  usedAt: number
}

/** A post is answered at once, so connections do not limit the calls of a stream. */
const mostCalls = 32

const ownerOf = (sender: Caller): string =>
  sender.kind === 'account' ? `account ${sender.accountId}` : `network ${networkOf(sender.address)}`

const readJsonRpc = (value: unknown): JSONRPCMessage | null => {
  try {
    return parseJSONRPCMessage(value)
  } catch {
    return null
  }
}

export const createSse = ({ path, createServer, current, limits, keepAliveMs = 15_000, idleMs = 3_600_000 }: SseOptions) => {
  const streams = new Map<string, Stream>()
  const perNetwork = new Map<string, number>()

  const countFor = (network: string, change: 1 | -1) => {
    const count = (perNetwork.get(network) ?? 0) + change
    if (count > 0) perNetwork.set(network, count)
    else perNetwork.delete(network)
  }

  const open = async ({ sender, address }: Received, response: ServerResponse): Promise<void> => {
    if (response.destroyed) return // the client has left already
    const network = networkOf(address)
    if (streams.size >= limits.mcpStreams || (perNetwork.get(network) ?? 0) >= limits.networkMcpStreams) {
      return refuseMore(response, 'too many event streams are open', 'close one first')
    }
    const id = randomBytes(32).toString('base64url')
    const transport = createSseTransport(response, `${path}?stream_id=${id}`)
    const server = createServer()
    const stream: Stream = {
      ...{ owner: ownerOf(sender), transport, isOpen: () => isOpen(response), close: () => void response.end() },
      ...{ calls: new Set(), usedAt: elapsedMs() },
    }
    const timer = setInterval(() => {
      if (stream.calls.size === 0 && elapsedMs() - stream.usedAt > idleMs) stream.close()
      else keepAlive(response)
    }, keepAliveMs)
    streams.set(id, stream)
    countFor(network, 1)
    response.once('close', () => {
      clearInterval(timer)
      streams.delete(id)
      countFor(network, -1)
    })
    await server.connect(transport)
  }

  /** The same answer for a stream that never was, that has ended, and that is somebody else's. */
  const find = (request: IncomingMessage, { sender }: Received): Stream | undefined => {
    const id = new URLSearchParams(request.url?.split('?')[1]).get('stream_id') ?? ''
    const stream = streams.get(id)
    return stream?.owner === ownerOf(sender) && stream.isOpen() ? stream : undefined
  }

  const post = async (received: Received, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { message, ...exchange } = received
    const stream = find(request, received)
    if (stream === undefined) {
      return sendRpcError(response, 404, { code: INVALID_REQUEST, message: 'there is no such event stream: open one with GET' }, message.id)
    }
    const parsed = readJsonRpc(message)
    if (parsed === null)
      return sendRpcError(response, 400, { code: INVALID_REQUEST, message: 'this is not a JSON-RPC message' }, message.id)
    if (stream.calls.size >= mostCalls)
      return refuseMore(response, `${mostCalls} calls of this stream are in progress`, 'wait until one has ended', message.id)
    stream.usedAt = elapsedMs()
    const onRun = (call: Promise<unknown>) => {
      stream.calls.add(call)
      call.finally(() => {
        stream.calls.delete(call)
        stream.usedAt = elapsedMs()
      })
    }
    response.writeHead(202, { 'content-type': 'text/plain' }).end('Accepted')
    current.run({ ...exchange, closingCancels: true, onRun }, () => stream.transport.onmessage?.(parsed))
  }

  return {
    /** For GET and POST. */
    handle: async (received: Received, request: IncomingMessage, response: ServerResponse): Promise<void> => {
      await (request.method === 'GET' ? open(received, response) : post(received, request, response))
    },

    close: (): void => {
      for (const stream of streams.values()) stream.close()
    },
  }
}
