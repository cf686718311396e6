// One deadline that everything an evaluation waits for shares, so that a verdict comes within the time that is promised. Time that it
// waits for its turn to put a sandbox under load does not count.

import { stopwatch } from '../clock.ts'

export interface Deadline {
  /** What is left of the time; 0 once it has passed. */
  leftMs(): number
  /** What the work comes to, or this instead, once the deadline has passed. The work itself goes on unheard. */
  within<T>(work: () => Promise<T>, late: () => T): Promise<T>
  /** The clock stands still until what this returns is called. */
  pause(): () => void
  /** The infrastructure has used up a part of the time: that it runs out then says nothing about a sandbox. */
  shorten(): void
  isShortened(): boolean
  /** Nothing waits for it any more. */
  end(): void
}

export const startDeadline = (wholeMs: number): Deadline => {
  const passed = Promise.withResolvers<void>()
  let restMs = wholeMs
  /** Since the clock runs; undefined while it stands still. */
  let running: (() => number) | undefined
  let timer: NodeJS.Timeout | undefined
  let shortened = false

  const leftMs = () => Math.max(0, restMs - (running?.() ?? 0))
  const run = () => {
    running = stopwatch()
    timer = setTimeout(passed.resolve, restMs)
  }
  const stand = () => {
    restMs = leftMs()
    running = undefined
    clearTimeout(timer)
  }
  run()

  return {
    leftMs,
    within: async (work, late) => (leftMs() === 0 ? late() : Promise.race([work(), passed.promise.then(late)])),
    pause: () => {
      stand()
      let isPaused = true
      return () => {
        if (isPaused) run()
        isPaused = false
      }
    },
    isShortened: () => shortened,
    shorten: () => {
      shortened = true
    },
    end: stand,
  }
}
