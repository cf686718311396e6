// Who may print how fast. A terminal that prints little is never held back. One that prints much waits for its turn in a
// budget that all of those share: its stream is not read meanwhile, so its program stands still and takes no processor.

import { elapsedMs } from '../../clock.ts'
import { type BucketShape, debtMs, refill, type TokenBucket } from '../../token-bucket.ts'

export interface Pausable {
  pause(): unknown
  resume(): unknown
}

export interface StreamThrottle {
  /** Counts what was read; the stream may be paused when this returns. */
  spend(bytes: number): void
  /** Somebody cannot take more just now. */
  hold(): void
  release(): void
  /** From now on at most this many bytes per second. */
  limitTo(bytesPerSecond: number): void
  leave(): void
}

export interface OutputThrottleOptions {
  /** What all terminals that print much may print together. */
  readonly bytesPerSecond: number
  readonly now?: () => number
}

/** A screen or two at once, and a log that somebody can read along: nobody waits for that. */
const light: BucketShape = { capacity: 32 * 1024, perSecond: 8 * 1024 }
/** How far unused budget adds up. */
const burstMs = 50

interface Member {
  readonly stream: Pausable
  bytesPerSecond: number
  /** What it owes, it has to wait for. */
  readonly credit: TokenBucket
  /** Its own limit lets it go on then. */
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
