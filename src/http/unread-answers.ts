// Answers that clients do not read stay in the memory of the server. A connection that takes nothing of what waits for it is
// closed after a while; what waits for all connections of a network, and for everybody, has a bound; and a connection asks
// only so far ahead of its answers. Looks at sockets alone, so that terminals are connections like all others.

import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { networkOf } from '../client-network.ts'
import { interceptRequests } from './fast-path.ts'
import { type BacklogBounds, chooseToShed } from './shedding.ts'

export interface UnreadAnswersOptions extends Partial<BacklogBounds> {
  /** How long a client may take nothing of what waits for it. */
  readonly patienceMs?: number
  readonly sweepMs?: number
  /** Requests of one connection that have no complete answer yet. */
  readonly mostAhead?: number
  readonly onClosed?: (closed: { readonly connections: number; readonly bytes: number }) => void
}

interface Connection {
  readonly socket: Socket
  network: string
  readonly answers: Set<ServerResponse>
  /** What the client's side has taken so far, at the last look. */
  taken: number
  /** Looks since it last took something. */
  idleSweeps: number
}

/**
 * The stream counts a write when all of it is sent: a large one that moves slowly would look stalled. Node's own timeout of
 * sockets looks at these figures of the handle for the same reason.
 */
const takenOf = (socket: Socket): number => {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}

/** Answers to requests that were sent ahead wait without a socket until it is their turn. */
const unsentOf = ({ socket, answers }: Connection): number => {
  let bytes = socket.writableLength
  for (const answer of answers) if (answer.socket === null) bytes += answer.writableLength
  return bytes
}

export const createUnreadAnswers = ({
  patienceMs = 20_000,
  sweepMs = 1000,
  networkBytes = 64 * 2 ** 20,
  totalBytes = 256 * 2 ** 20,
  mostAhead = 32,
  onClosed = () => undefined,
}: UnreadAnswersOptions = {}) => {
  const open = new Map<Socket, Connection>()

  /** Counts looks and no time: when this process stands still, nobody can take anything. */
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

  /** Node reads on while it has little to send, and serves all requests that came in one piece: thousands. */
  const isTooFarAhead = ({ socket, answers }: Connection): boolean => {
    if (answers.size >= mostAhead) socket.destroy()
    return socket.destroyed
  }

  return {
    /** Stands in front of whatever listens to the server by now. */
    watch: (server: Server): void => {
      server.on('connection', (socket: Socket) => {
        const network = networkOf(socket.remoteAddress ?? '')
        open.set(socket, { socket, network, answers: new Set(), taken: 0, idleSweeps: 0 })
        socket.once('close', () => open.delete(socket))
      })
      interceptRequests(server, (request, response) => {
        const connection = open.get(request.socket)
        if (connection === undefined || isTooFarAhead(connection)) return true // nobody is there any more
        connection.answers.add(response)
        response.once('close', () => connection.answers.delete(response))
        return false
      })
      const timer = setInterval(sweep, sweepMs).unref()
      server.once('close', () => clearInterval(timer))
    },

    /** What a trusted proxy passes on is its client's. A proxy does not send requests ahead. */
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
