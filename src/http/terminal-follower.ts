// The connection of a guest to the shell of an owner. It reads from the scrollback whenever it can receive more, so a slow guest misses
// output, is told so, and holds nobody up.

import type { WebSocket } from '@fastify/websocket'
import type { TerminalEvent } from '../contract/terminal.ts'
import type { Follower, Shell } from '../sandboxes/run/shared-shell.ts'

/** What may wait for a guest before output is left out. */
const highWater = 256 * 1024

export interface FollowerOptions {
  readonly socket: Pick<WebSocket, 'send' | 'bufferedAmount' | 'readyState' | 'OPEN'>
  readonly tell: (event: TerminalEvent) => void
  readonly ended: Follower['ended']
}

/** Follows a shell from this offset on. Returns a function that ends it. */
export const followShell = (shell: Pick<Shell, 'since' | 'follow' | 'size'>, from: number, options: FollowerOptions): (() => void) => {
  const { socket, tell } = options
  let seen = from
  const more = () => {
    if (socket.readyState !== socket.OPEN || socket.bufferedAmount > highWater) return
    const { offset, bytes } = shell.since(seen)
    if (bytes.length === 0) return
    if (offset > seen) tell({ gap: { offset } })
    seen = offset + bytes.length
    socket.send(bytes, more) // what came meanwhile follows when this is out
  }
  /** However small the pieces are that a program prints, a guest is sent what there is once a turn. */
  let isDue = false
  const soon = () => {
    if (isDue) return
    isDue = true
    setImmediate(() => {
      isDue = false
      more()
    })
  }
  tell({ size: shell.size() })
  const leave = shell.follow({ more: soon, resized: (size) => tell({ size }), warn: (warning) => tell({ warning }), ended: options.ended })
  more()
  return leave
}
