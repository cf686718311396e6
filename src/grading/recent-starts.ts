// Whoever restarts a machine and has it graded at once is not failed for what has not started yet: steps 1 to 5 are observed until they hold,
// within the time that machines need to start.

import { type Clock, stopwatch } from '../clock.ts'
import { holds, type Observation } from '../probes/observation.ts'
import { isBusy } from './host-speed.ts'
import type { Graded, ObservedSteps } from './observed-steps.ts'
import { observeUntil } from './probe-tree.ts'

/** What a machine that was just restarted may need to start its programs; on a busy host as often again as a window. */
export const startMs = 5_000
/** What was restarted gets its time again on a busy host, so often at most. */
export const longerWaits = 2
export const pauseMs = 200

/** How long the machines that the user restarted last may still need; 0 or less for none. */
const startingMs = async ({ observer, baseline }: Graded, clock: Clock): Promise<number> => {
  const services = (await observer.engine.describe(observer.sandbox))?.services ?? []
  const restarts = services.map(({ startedAt }) => startedAt?.getTime() ?? 0).filter((at) => at > baseline.takenAt * 1000)
  return Math.max(0, ...restarts) + startMs - clock.now().getTime()
}

export interface AfterStart {
  /** What the steps saw once all of them held; undefined where nothing was restarted, or they never did. */
  readonly seen: readonly Observation[] | undefined
  /** How long the last look took. */
  readonly lookMs: number
  readonly waitedMs: number
}

export const waitForStarts = async (graded: Graded, steps: ObservedSteps, clock: Clock): Promise<AfterStart> => {
  const leftMs = await startingMs(graded, clock)
  if (leftMs <= 0) return { seen: undefined, lookMs: 0, waitedMs: 0 }
  const waited = stopwatch()
  let look = stopwatch()
  let seen: readonly Observation[] = []
  const observeOnce = async () => {
    look = stopwatch()
    seen = await Promise.all(steps.all.map(([, observe]) => observe()))
    return seen.find(({ passed }) => !passed) ?? holds('started')
  }
  const wait = (withinMs: number) => observeUntil(observeOnce, { pauseMs, withinMs })
  let observation = await wait(leftMs)
  for (let more = 0; !observation.passed && more < longerWaits && (await isBusy(graded.observer)); more += 1)
    observation = await wait(startMs)
  return { seen: observation.passed ? seen : undefined, lookMs: look(), waitedMs: waited() }
}
