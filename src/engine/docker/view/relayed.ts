// One connection that a relay has accepted, as a stream. Whatever the relay does, no more of it is held than its window, in
// one buffer: many small pieces cost no more than one large.

import { Duplex } from 'node:stream'
import { largestPayload } from '../frames.ts'
import type { Pace } from './pace.ts'
import { encodeClosed, encodeData, encodeEnd, encodeTaken, windowBytes } from './relay-frames.ts'

export interface RelayedDeps {
  readonly id: number
  /** Sends a frame to the relay. */
  readonly send: (frame: Buffer) => void
  readonly pace: Pace
  /** Told once, when the connection is over on this side. */
  readonly left: () => void
}

export interface Relayed {
  readonly stream: Duplex
  /** Bytes that came; false when they are more than the window allows. */
  readonly take: (bytes: Buffer) => boolean
  /** The relay has handed on so many bytes; false when that is more than it was sent. */
  readonly taken: (count: number) => boolean
  /** No more bytes will come. */
  readonly end: () => void
  /** The other side is gone. */
  readonly closed: () => void
}

export const createRelayed = ({ id, send, pace, left }: RelayedDeps): Relayed => {
  const held = { bytes: Buffer.alloc(0), length: 0 }
  let wanted = false
  let hasEnded = false
  let isOver = false
  /** Came, and was not yet reported as taken. */
  let open = 0
  let unreported = 0
  /** Sent, and not yet taken by the relay. */
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
    const pauseMs = pace(part.length)
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
    // What is read ahead is held above, where it is counted.
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
  stream.on('error', () => undefined) // whoever uses it hears of its end

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
