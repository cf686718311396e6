// Throttles what guests are sent of the shells that they follow. The bytes are counted when they are sent, against a budget for guests
// alone, so that watching does not slow down the program that prints. Guests who are sent little never wait; the others wait for their
// turn, and miss what has left the scrollback by then. All connections of a guest count together. Knows nothing of shells and sockets.

import { terminalLimits } from '../../contract/terminal.ts'
import { LabError } from '../../errors.ts'
import { createOutputThrottle } from './output-throttle.ts'

export interface GuestConnection {
  /** Calls `next`, now or when it is the guest's turn; it sends what there is and returns how many bytes that was. Always the same. */
  send(next: () => number): void
  leave(): void
}

/** What one guest is sent at most, over all connections. */
const guestBytesPerSecond = 1024 * 1024

interface Guest {
  /** Connections that have something to send, in order: none that prints much keeps another waiting for long. */
  readonly waiting: Set<() => number>
  readonly serve: () => void
  readonly close: () => void
  connections: number
}

export interface GuestOutputOptions {
  /** What all guests who are sent much share. */
  readonly bytesPerSecond: number
}

export const createGuestOutput = ({ bytesPerSecond }: GuestOutputOptions) => {
  const throttle = createOutputThrottle({ bytesPerSecond })
  const guests = new Map<string, Guest>()

  const open = (): Guest => {
    const waiting = new Set<() => number>()
    let isPaused = false
    const serve = () => {
      for (const next of [...waiting]) {
        if (isPaused) return
        waiting.delete(next)
        lane.spend(next())
      }
    }
    const pause = () => {
      isPaused = true
    }
    const resume = () => {
      isPaused = false
      serve()
    }
    const lane = throttle.join({ pause, resume }, guestBytesPerSecond)
    return { waiting, serve, close: lane.leave, connections: 0 }
  }

  return {
    /** A connection of a guest, who needs one for each shell. Throws too_many_connections. */
    join: (id: string): GuestConnection => {
      const guest = guests.get(id) ?? open()
      if (guest.connections >= terminalLimits.perSandbox) {
        throw new LabError('too_many_connections', `you follow ${guest.connections} terminals already`, {
          hint: 'close one first',
          retryAfterSeconds: 5,
        })
      }
      guests.set(id, guest)
      guest.connections += 1
      let own: (() => number) | undefined
      let hasLeft = false
      return {
        send: (next) => {
          if (hasLeft) return
          own = next
          guest.waiting.add(next)
          guest.serve()
        },
        leave: () => {
          if (hasLeft) return
          hasLeft = true
          if (own !== undefined) guest.waiting.delete(own)
          guest.connections -= 1
          if (guest.connections > 0) return
          guest.close()
          guests.delete(id)
        },
      }
    },
  }
}

export type GuestOutput = ReturnType<typeof createGuestOutput>
