// Opens many terminals that print as fast as they can, read by minimal clients. It is a separate process, so that it shares no event
// loop with the measurement. Its parent controls it by messages and gets the number of bytes received.

import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export interface LoadOrder {
  readonly port: number
  readonly path: string
  readonly token: string
  readonly sessions: readonly string[]
  readonly perSession: number
}

/** Open terminals; type into all of them; or ask for the number of bytes received. */
export type LoadMessage = { readonly open: LoadOrder } | { readonly type: string } | 'bytes'

const text = 1
const binary = 2
const closing = 8
const pong = 10
const pongEveryMs = 5_000

/** A client's frame, masked with zeros, so that masking costs nothing. */
const frame = (opcode: number, payload: Buffer): Buffer => {
  const head = [0x80 | opcode]
  if (payload.length < 126) head.push(0x80 | payload.length)
  else head.push(0x80 | 126, payload.length >> 8, payload.length & 255)
  return Buffer.concat([Buffer.from(head), Buffer.alloc(4), payload])
}

let received = 0
const sockets = new Set<Socket>()

/** Terminals of an earlier load may still be open. */
const openWithPatience = async (order: LoadOrder, session: string): Promise<void> => {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const isOpen = await open(order, session).then(
      () => true,
      () => false,
    )
    if (isOpen) return
    await delay(1000)
  }
  throw new Error('a terminal was refused')
}

const open = ({ port, path, token }: LoadOrder, session_id: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const buffer = Buffer.alloc(256 * 1024)
    let isUp = false
    const socket = connect({
      port,
      host: '127.0.0.1',
      onread: {
        buffer,
        callback: (length) => {
          received += length
          if (!isUp && buffer.subarray(0, length).includes('"ready"')) {
            isUp = true
            sockets.add(socket)
            resolve()
          }
          return true
        },
      },
    })
    socket.on('error', reject)
    socket.on('close', () => {
      sockets.delete(socket)
      reject(new Error('a terminal was refused'))
    })
    const key = randomBytes(16).toString('base64')
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    )
    socket.write(frame(text, Buffer.from(JSON.stringify({ session_id, token, columns: 80, rows: 24 }))))
    setInterval(() => socket.write(frame(pong, Buffer.alloc(0))), pongEveryMs).unref()
  })

const take = async (message: LoadMessage): Promise<void> => {
  if (message === 'bytes') return
  if ('type' in message) {
    for (const socket of sockets) socket.write(frame(binary, Buffer.from(message.type)))
    return
  }
  const { open: order } = message
  await Promise.all(order.sessions.flatMap((session) => Array.from({ length: order.perSession }, () => openWithPatience(order, session))))
}

process.on('message', async (message: LoadMessage) => {
  await take(message)
  process.send?.(received)
})
/** A normal closure: the shells end at once. */
process.on('disconnect', () => {
  for (const socket of sockets) socket.end(frame(closing, Buffer.from([1000 >> 8, 1000 & 255])))
  setTimeout(() => process.exit(0), 500)
})
