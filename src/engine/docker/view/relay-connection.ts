// One connection that a relay has accepted, as a duplex stream. Whatever the relay sends, no more than the window is buffered, in one
// buffer, so that many small chunks need no more memory than one large one.

import { Duplex } from 'node:stream'
import { largestPayload } from '../frames.ts'
import { encodeClosed, encodeData, encodeEnd, encodeTaken, windowBytes } from './relay-frames.ts'
import type { Throttle } from './throttle.ts'

export interface RelayConnectionDeps {
  readonly id: number
  /** Sends a frame to the relay. */
  readonly send: (frame: Buffer) => void
  readonly throttle: Throttle
  /** Called once, when the connection has ended on this side. */
  readonly left: () => void
}

export interface RelayConnection {
  readonly stream: Duplex
  /** Receives bytes; false when they exceed the window. */
  readonly take: (bytes: Buffer) => boolean
  /** The relay has passed on this many bytes; false when that is more than it was sent. */
  readonly taken: (count: number) => boolean
  /** No more bytes will come. */
  readonly end: () => void
  /** The other side has closed the connection. */
  readonly closed: () => void
}

export const createRelayConnection = ({ id, send, throttle, left }: RelayConnectionDeps): RelayConnection => {
  const held = { bytes: Buffer.alloc(0), length: 0 }
  let wanted = false
  let hasEnded = false
  let isOver = false
  /** Bytes received and not yet acknowledged. */
  let open = 0
  let unreported = 0
  /** Bytes sent and not yet acknowledged by the relay. */
  let underWay = 0
  let goOn: (() => void) | undefined

  const reportTaken = (count: number) => {
    open -= count
    unreported += count
    if (unreported < windowBytes / 2 || isOver) return
    send(encodeTaken(id, unreported))
    unreported = 0
  }

  const handOn = () => {
    if (!wanted) return
    if (held.length > 0) {
      const bytes = Buffer.from(held.bytes.subarray(0, held.length))
      held.length = 0
      wanted = false
      stream.push(bytes)
      reportTaken(bytes.length)
    } else if (hasEnded) {
      wanted = false
      stream.push(null)
    }
  }

  const keep = (bytes: Buffer) => {
    if (held.length + bytes.length > held.bytes.length) {
      const larger = Buffer.alloc(Math.min(windowBytes, Math.max(4096, 2 * held.bytes.length, held.length + bytes.length)))
      held.bytes.copy(larger, 0, 0, held.length)
      held.bytes = larger
    }
    bytes.copy(held.bytes, held.length)
    held.length += bytes.length
  }

  const sendSome = (chunk: Buffer, done: (error?: Error) => void) => {
    if (isOver) return done(new Error('the connection is over'))
    if (chunk.length === 0) return done()
    const part = chunk.subarray(0, Math.min(largestPayload, windowBytes - underWay))
    if (part.length === 0) {
      goOn = () => sendSome(chunk, done)
      return
    }
    underWay += part.length
    send(encodeData(id, part))
    const rest = () => sendSome(chunk.subarray(part.length), done)
    const pauseMs = throttle(part.length)
    if (pauseMs > 0) setTimeout(rest, pauseMs)
    else rest()
  }

  const wake = () => {
    const resume = goOn
    goOn = undefined
    resume?.()
  }

  const stream = new Duplex({
    allowHalfOpen: true,
    // Received bytes are buffered above, where they are counted.
    readableHighWaterMark: 1,
    read: () => {
      wanted = true
      handOn()
    },
    write: (chunk: Buffer, _encoding, done) => sendSome(chunk, done),
    final: (done) => {
      if (!isOver) send(encodeEnd(id))
      done()
    },
    destroy: (error, done) => {
      const wasOver = isOver
      isOver = true
      held.bytes = Buffer.alloc(0)
      held.length = 0
      if (!wasOver) send(encodeClosed(id))
      left()
      wake()
      done(error)
    },
  })
  stream.on('error', () => undefined) // users of the stream see its end

  return {
    stream,
    take: (bytes) => {
      open += bytes.length
      if (open + unreported > windowBytes || hasEnded) return false
      keep(bytes)
      handOn()
      return true
    },
    taken: (count) => {
      if (count > underWay) return false
      underWay -= count
      wake()
      return true
    },
    end: () => {
      hasEnded = true
      handOn()
    },
    closed: () => {
      isOver = true
      stream.destroy()
    },
  }
}
