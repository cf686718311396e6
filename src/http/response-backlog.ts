// Limits the memory of responses that clients do not read. A connection that reads nothing is closed after a while; unsent bytes are
// limited per network and in total; and the number of pipelined requests is limited. It works on sockets, so it covers terminals.

import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { networkOf } from '../client-network.ts'
import { type BacklogBounds, chooseToShed } from './connection-shedding.ts'
import { interceptRequests } from './fast-path.ts'

export interface ResponseBacklogOptions extends Partial<BacklogBounds> {
  /** How long a client may read nothing while bytes wait for it. */
  readonly patienceMs?: number
  readonly sweepMs?: number
  /** How many requests of one connection may be without a complete response. */
  readonly mostAhead?: number
  readonly onClosed?: (closed: { readonly connections: number; readonly bytes: number }) => void
}

interface Connection {
  readonly socket: Socket
  network: string
  readonly answers: Set<ServerResponse>
  /** How many bytes the client had received at the last check. */
  taken: number
  /** How many checks in a row it received nothing. */
  idleSweeps: number
}

/**
 * The stream counts a write only when all of it is sent, so a large write on a slow connection would look stalled. Node's own socket
 * timeout uses these counters of the handle for the same reason.
 */
const takenOf = (socket: Socket): number => {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}

/** Responses to pipelined requests are queued without a socket until it is their turn. */
const unsentOf = ({ socket, answers }: Connection): number => {
  let bytes = socket.writableLength
  for (const answer of answers) if (answer.socket === null) bytes += answer.writableLength
  return bytes
}

export const createResponseBacklog = ({
  patienceMs = 20_000,
  sweepMs = 1000,
  networkBytes = 64 * 2 ** 20,
  totalBytes = 256 * 2 ** 20,
  mostAhead = 32,
  onClosed = () => undefined,
}: ResponseBacklogOptions = {}) => {
  const open = new Map<Socket, Connection>()

  /** Counts checks instead of time: while this process is blocked, clients cannot receive anything. */
  const isStalled = (connection: Connection): boolean => {
    const taken = takenOf(connection.socket)
    const isMoving = connection.socket.writableLength === 0 || taken !== connection.taken
    connection.taken = taken
    connection.idleSweeps = isMoving ? 0 : connection.idleSweeps + 1
    return connection.idleSweeps * sweepMs >= patienceMs
  }

  const sweep = () => {
    const backlogs = [...open.values()].flatMap((connection) => {
      const bytes = unsentOf(connection)
      return bytes === 0 ? [] : [{ connection, network: connection.network, bytes, isStalled: isStalled(connection) }]
    })
    const moving = backlogs.filter((backlog) => !backlog.isStalled)
    const closed = [...backlogs.filter((backlog) => backlog.isStalled), ...chooseToShed(moving, { networkBytes, totalBytes })]
    for (const { connection } of closed) connection.socket.destroy()
    if (closed.length > 0) onClosed({ connections: closed.length, bytes: closed.reduce((sum, { bytes }) => sum + bytes, 0) })
  }

  /** Node itself does not limit pipelining: it handles all requests that arrive in one chunk, which can be thousands. */
  const isTooFarAhead = ({ socket, answers }: Connection): boolean => {
    if (answers.size >= mostAhead) socket.destroy()
    return socket.destroyed
  }

  return {
    /** Runs before the listeners that the server has now. */
    watch: (server: Server): void => {
      server.on('connection', (socket: Socket) => {
        const network = networkOf(socket.remoteAddress ?? '')
        open.set(socket, { socket, network, answers: new Set(), taken: 0, idleSweeps: 0 })
        socket.once('close', () => open.delete(socket))
      })
      interceptRequests(server, (request, response) => {
        const connection = open.get(request.socket)
        if (connection === undefined || isTooFarAhead(connection)) return true // the connection is closed
        connection.answers.add(response)
        response.once('close', () => connection.answers.delete(response))
        return false
      })
      const timer = setInterval(sweep, sweepMs).unref()
      server.once('close', () => clearInterval(timer))
    },

    /** Behind a trusted proxy, bytes count for the client's network. A proxy does not pipeline requests. */
    attributeRequests: (app: FastifyInstance): void => {
      app.addHook('onRequest', (request, _reply, done) => {
        const { socket } = request.raw
        const connection = open.get(socket)
        if (connection !== undefined && request.ip !== socket.remoteAddress) connection.network = networkOf(request.ip)
        done()
      })
    },
  }
}
