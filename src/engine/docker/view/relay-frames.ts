// The frames between the service and a relay (relay.pl), about the connections that the relay has accepted. Ids count from 1.
//
//   from it  H hello   it listens
//            O open    a client has connected
//   both     D data    bytes of a connection, no more at once than its window
//            E end     no more bytes will come from this side
//            C closed  the connection is over
//            T taken   how many bytes were passed on: the other side may send as many more

import { createFrameReader, encodeFrame, frameTypes, numberBytes } from '../frames.ts'

const { hello, open, data, end, closed, taken } = frameTypes({ hello: 'H', open: 'O', data: 'D', end: 'E', closed: 'C', taken: 'T' })
const shapes = {
  whole: new Map([
    [hello, 0],
    [open, 0],
    [end, 0],
    [closed, 0],
    [taken, 4],
  ]),
  streamed: new Set([data]),
}
const kinds = new Map([
  [hello, 'hello'],
  [open, 'open'],
  [end, 'end'],
  [closed, 'closed'],
] as const)

/** The flow control window of each direction of a connection; relay.pl has the same value. */
export const windowBytes = 131_072
export const mostConnections = 16

export type RelayFrame =
  | { readonly kind: 'hello' | 'open' | 'end' | 'closed'; readonly id: number }
  | { readonly kind: 'data'; readonly id: number; readonly bytes: Buffer }
  | { readonly kind: 'taken'; readonly id: number; readonly count: number }

export const encodeData = (id: number, bytes: Buffer): Buffer => encodeFrame(data, id, bytes)
export const encodeEnd = (id: number): Buffer => encodeFrame(end, id)
export const encodeClosed = (id: number): Buffer => encodeFrame(closed, id)
export const encodeTaken = (id: number, count: number): Buffer => encodeFrame(taken, id, numberBytes(count))

export const createRelayReader = (frame: (frame: RelayFrame) => void, garbage: () => void) =>
  createFrameReader(shapes, {
    whole: (type, id, payload) => {
      const kind = kinds.get(type)
      frame(kind === undefined ? { kind: 'taken', id, count: payload.readUInt32BE(0) } : { kind, id })
    },
    bytes: (_, id, bytes) => frame({ kind: 'data', id, bytes }),
    garbage,
  })
