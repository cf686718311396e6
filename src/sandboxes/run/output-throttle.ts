// Throttles the output of terminals. One that prints little is never delayed. Those that print much share a budget and wait for
// their turn: the stream is not read meanwhile, so that the program blocks in write() and uses no CPU.

import { elapsedMs } from '../../clock.ts'

export interface Pausable {
  pause(): unknown
  resume(): unknown
}

export interface StreamThrottle {
  /** Counts bytes that were read; may pause the stream. */
  spend(bytes: number): void
  /** The viewer cannot receive more at the moment. */
  hold(): void
  release(): void
  /** Limits this terminal to so many bytes per second from now on. */
  limitTo(bytesPerSecond: number): void
  leave(): void
}

export interface OutputThrottleOptions {
  /** The budget that all terminals that print much share. */
  readonly bytesPerSecond: number
  readonly now?: () => number
}

/** Output below this is never delayed: a screen or two at once, or a log that can be read along. */
const lightBytes = 32 * 1024
const lightBytesPerSecond = 8 * 1024
/** How much unused budget accumulates. */
const burstMs = 50

interface Member {
  readonly stream: Pausable
  bytesPerSecond: number
  /** Below zero, it has to wait. */
  credit: number
  countedAt: number
  /** When its own limit allows it to go on. */
  nextAt: number
  isWaiting: boolean
  isHeld: boolean
}

export const createOutputThrottle = ({ bytesPerSecond, now = elapsedMs }: OutputThrottleOptions) => {
  let waiting: Member[] = []
  let budget = 0
  let budgetAt = now()
  let timer: NodeJS.Timeout | undefined

  const fill = () => {
    const at = now()
    budget = Math.min(budget + ((at - budgetAt) * bytesPerSecond) / 1000, (burstMs * bytesPerSecond) / 1000)
    budgetAt = at
  }

  const grant = (member: Member) => {
    const debt = -member.credit
    budget -= debt
    member.credit = 0
    member.nextAt = now() + (debt * 1000) / member.bytesPerSecond
    member.isWaiting = false
    if (!member.isHeld) member.stream.resume()
  }

  const turn = () => {
    timer = undefined
    fill()
    const later: Member[] = []
    for (const member of waiting) {
      if (budget > 0 && member.nextAt <= now()) grant(member)
      else later.push(member)
    }
    waiting = later
    plan()
  }

  const plan = () => {
    if (timer !== undefined || waiting.length === 0) return
    const affordable = (-budget * 1000) / bytesPerSecond
    const due = Math.min(...waiting.map(({ nextAt }) => nextAt)) - now()
    timer = setTimeout(turn, Math.max(1, Math.ceil(Math.max(affordable, due))))
  }

  return {
    join: (stream: Pausable, itsBytesPerSecond: number): StreamThrottle => {
      const at = now()
      const member: Member = {
        stream,
        bytesPerSecond: itsBytesPerSecond,
        credit: lightBytes,
        countedAt: at,
        nextAt: at,
        isWaiting: false,
        isHeld: false,
      }
      return {
        spend: (bytes) => {
          const at = now()
          member.credit = Math.min(lightBytes, member.credit + ((at - member.countedAt) * lightBytesPerSecond) / 1000) - bytes
          member.countedAt = at
          if (member.credit >= 0) return
          stream.pause()
          if (member.isWaiting) return
          member.isWaiting = true
          waiting.push(member)
          plan()
        },
        hold: () => {
          member.isHeld = true
          stream.pause()
        },
        release: () => {
          if (!member.isHeld) return
          member.isHeld = false
          if (!member.isWaiting) stream.resume()
        },
        limitTo: (limit) => {
          member.bytesPerSecond = limit
        },
        leave: () => {
          waiting = waiting.filter((one) => one !== member)
        },
      }
    },
  }
}

export type OutputThrottle = ReturnType<typeof createOutputThrottle>
