// The connection of a guest to the shell of an owner. It reads from the scrollback whenever it can receive more and the guest may be sent
// more, so one that is slow or follows very much misses output, is told so, and holds nobody up.

import type { WebSocket } from '@fastify/websocket'
import type { TerminalEvent } from '../contract/terminal.ts'
import type { GuestConnection } from '../sandboxes/run/guest-output.ts'
import type { Follower, Shell } from '../sandboxes/run/shared-shell.ts'

/** What may wait for a guest before output is left out. */
const highWater = 256 * 1024

export interface FollowerOptions {
  readonly socket: Pick<WebSocket, 'send' | 'bufferedAmount' | 'readyState' | 'OPEN'>
  readonly lane: Pick<GuestConnection, 'send'>
  readonly tell: (event: TerminalEvent) => void
  readonly ended: Follower['ended']
}

/** Follows a shell from this offset on. Returns a function that ends it. */
export const followShell = (shell: Pick<Shell, 'since' | 'follow' | 'size'>, from: number, options: FollowerOptions): (() => void) => {
  const { socket, lane, tell } = options
  let seen = from
  const canReceive = () => socket.readyState === socket.OPEN && socket.bufferedAmount <= highWater
  const next = (): number => {
    if (!canReceive()) return 0
    const { offset, bytes } = shell.since(seen)
    if (bytes.length === 0) return 0
    if (offset > seen) tell({ gap: { offset } })
    seen = offset + bytes.length
    socket.send(bytes, more) // what came meanwhile follows when this is out
    return bytes.length
  }
  const more = () => {
    if (canReceive()) lane.send(next)
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
