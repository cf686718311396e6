// The client of one relay, the program that listens on /var/run/docker.sock in a container (relay.pl). A user may have replaced it:
// a frame that violates the protocol ends the relay and all its connections.

import type { Duplex } from 'node:stream'
import { frameBytes } from '../frames.ts'
import { type Capture, createDemultiplexer, ended } from '../streams.ts'
import { createRelayConnection, type RelayConnection } from './relay-connection.ts'
import { createRelayReader, mostConnections, type RelayFrame } from './relay-frames.ts'
import type { Throttle } from './throttle.ts'

/** How much may be queued for a relay that does not read: all windows and some more. */
const mostUnsentBytes = 4 * 1024 ** 2
/** How much may arrive on standard error. A genuine relay writes nothing there. */
const mostStrayBytes = 64 * 1024
/** What a frame costs in the rate limit of the view, beside its bytes. */
const frameCost = 64
const openCost = 16 * 1024

export interface RelayDeps {
  /** The engine's multiplexed stream to the relay. */
  readonly raw: Duplex
  readonly throttle: Throttle
  readonly onConnection: (stream: Duplex) => void
}

export const createRelay = ({ raw, throttle, onConnection }: RelayDeps) => {
  const connections = new Map<number, RelayConnection>()
  let lastId = 0
  let hasGreeted = false
  let isOver = false
  let strayBytes = 0
  const { promise: ready, resolve: greet } = Promise.withResolvers<void>()
  const { promise: gone, resolve: leave } = Promise.withResolvers<void>()

  const end = () => {
    if (isOver) return
    isOver = true
    for (const connection of [...connections.values()]) connection.closed()
    raw.destroy()
    leave()
  }

  const send = (frame: Buffer) => {
    if (isOver) return
    raw.write(frame)
    if (raw.writableLength > mostUnsentBytes) end()
  }

  const open = (id: number) => {
    if (id !== lastId + 1 || connections.size >= mostConnections) return end()
    lastId = id
    const connection = createRelayConnection({ id, send, throttle, left: () => connections.delete(id) })
    connections.set(id, connection)
    onConnection(connection.stream)
  }

  /** Frames of a connection that has ended on this side may still arrive, and are ignored. */
  const take = (frame: RelayFrame) => {
    if (isOver) return
    if (frame.kind === 'hello') {
      if (hasGreeted) return end()
      hasGreeted = true
      return greet()
    }
    if (!hasGreeted) return end()
    if (frame.kind === 'open') return open(frame.id)
    if (frame.id > lastId) return end()
    const connection = connections.get(frame.id)
    if (connection === undefined) return
    if (frame.kind === 'data' && !connection.take(frame.bytes)) return end()
    if (frame.kind === 'taken' && !connection.taken(frame.count)) return end()
    if (frame.kind === 'end') connection.end()
    if (frame.kind === 'closed') connection.closed()
  }

  const paced = (frame: RelayFrame) => {
    take(frame)
    const bytes = frame.kind === 'data' ? frame.bytes.length : 0
    const pauseMs = throttle(frameCost + bytes + (frame.kind === 'open' ? openCost : 0))
    if (pauseMs === 0 || isOver || raw.isPaused()) return
    raw.pause()
    setTimeout(() => raw.resume(), pauseMs)
  }

  const stray = (bytes: number) => {
    strayBytes += bytes
    if (strayBytes > mostStrayBytes) end()
  }

  const into = (take: Capture['take']): Capture => ({ take, bytes: () => 0, content: () => Buffer.alloc(0) })
  raw.on(
    'data',
    createDemultiplexer(
      into(createRelayReader(paced, end)),
      into(({ length }) => stray(length + frameBytes)),
    ),
  )
  raw.on('error', end)
  ended(raw).then(end)

  return { ready, gone, end, isOver: () => isOver }
}

export type Relay = ReturnType<typeof createRelay>
