// Throttles the output of terminals. One that prints little is never delayed. Those that print much share a budget and wait for
// their turn: the stream is not read meanwhile, so that the program blocks in write() and uses no CPU.

import { elapsedMs } from '../../clock.ts'
import { type BucketShape, debtMs, refill, type TokenBucket } from '../../token-bucket.ts'

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
const light: BucketShape = { capacity: 32 * 1024, perSecond: 8 * 1024 }
/** How much unused budget accumulates. */
const burstMs = 50

interface Member {
  readonly stream: Pausable
  bytesPerSecond: number
  /** Below zero, it has to wait. */
  readonly credit: TokenBucket
  /** When its own limit allows it to go on. */
  nextAt: number
  isWaiting: boolean
  isHeld: boolean
}

export const createOutputThrottle = ({ bytesPerSecond, now = elapsedMs }: OutputThrottleOptions) => {
  let waiting: Member[] = []
  const shared: BucketShape = { capacity: (burstMs * bytesPerSecond) / 1000, perSecond: bytesPerSecond }
  const budget: TokenBucket = { level: 0, at: now() }
  let timer: NodeJS.Timeout | undefined

  const grant = (member: Member) => {
    const debt = -member.credit.level
    budget.level -= debt
    member.credit.level = 0
    member.nextAt = now() + (debt * 1000) / member.bytesPerSecond
    member.isWaiting = false
    if (!member.isHeld) member.stream.resume()
  }

  const turn = () => {
    timer = undefined
    refill(budget, shared, now())
    const later: Member[] = []
    for (const member of waiting) {
      if (budget.level > 0 && member.nextAt <= now()) grant(member)
      else later.push(member)
    }
    waiting = later
    plan()
  }

  const plan = () => {
    if (timer !== undefined || waiting.length === 0) return
    const due = Math.min(...waiting.map(({ nextAt }) => nextAt)) - now()
    timer = setTimeout(turn, Math.max(1, Math.ceil(Math.max(debtMs(budget, shared), due))))
  }

  return {
    join: (stream: Pausable, itsBytesPerSecond: number): StreamThrottle => {
      const at = now()
      const member: Member = {
        stream,
        bytesPerSecond: itsBytesPerSecond,
        credit: { level: light.capacity, at },
        nextAt: at,
        isWaiting: false,
        isHeld: false,
      }
      return {
        spend: (bytes) => {
          refill(member.credit, light, now())
          member.credit.level -= bytes
          if (member.credit.level >= 0) return
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
