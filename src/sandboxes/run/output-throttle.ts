// Who may print how fast. A terminal that prints little is never held back. One that prints much waits for its turn in a
// budget that all of those share: its stream is not read meanwhile, so its program stands still and takes no processor.

import { elapsedMs } from '../../clock.ts'

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
const lightBytes = 32 * 1024
const lightBytesPerSecond = 8 * 1024
/** How far unused budget adds up. */
const burstMs = 50

interface Member {
  readonly stream: Pausable
  bytesPerSecond: number
  /** Below zero: what it has to wait for. */
  credit: number
  countedAt: number
  /** Its own limit lets it go on then. */
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
