// Where a replay is: how time passes at a speed, with pauses shortened, and where one can jump to. Pure.

import type { Cast, CastEvent } from './cast.ts'

export const speeds = [0.5, 1, 2, 4, 8] as const
export type Speed = (typeof speeds)[number]

/** What is left of a longer pause when pauses are skipped. */
const pauseSeconds = 1

/** The number of events that have happened at a time. */
export const happenedBy = (events: readonly CastEvent[], at: number): number => {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((events[middle] as CastEvent).at <= at) low = middle + 1
    else high = middle
  }
  return low
}

export interface Pace {
  readonly speed: number
  readonly skipsPauses: boolean
}

/** Where it is so many seconds later. */
export const advance = ({ events, seconds: end }: Cast, position: number, elapsed: number, { speed, skipsPauses }: Pace): number => {
  let at = position
  let left = elapsed * speed
  while (left > 0 && at < end) {
    const index = happenedBy(events, at)
    const next = events[index]?.at ?? end
    const before = index === 0 ? 0 : (events[index - 1] as CastEvent).at
    const waitsUntil = skipsPauses && next - before > pauseSeconds ? before + pauseSeconds : next
    const step = Math.max(0, waitsUntil - at)
    if (step > left) return at + left
    left -= step
    at = next
  }
  return Math.min(at, end)
}

export interface Stop {
  readonly at: number
  readonly label: string
}

const burstAfterSeconds = 3

/** The commands that the recording marks. */
export const markedStops = ({ events }: Cast): Stop[] =>
  events.filter(({ kind }) => kind === 'marker').map(({ at, text }) => ({ at, label: text }))

/** Output after a pause: what is left to jump to where nothing tells commands. */
export const bursts = ({ events }: Cast): Stop[] => {
  const found: Stop[] = []
  let last = Number.NEGATIVE_INFINITY
  for (const { at, kind } of events) {
    if (kind !== 'output') continue
    if (at - last >= burstAfterSeconds) found.push({ at, label: 'output after a pause' })
    last = at
  }
  return found
}

/** The stop before or after a position. Going back shortly after one means the one before it. */
export const stopFrom = (stops: readonly Stop[], position: number, direction: 1 | -1): Stop | undefined =>
  direction === 1 ? stops.find(({ at }) => at > position + 0.01) : stops.findLast(({ at }) => at < position - 1)

export const clock = (seconds: number): string => {
  const whole = Math.max(0, Math.floor(seconds))
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
