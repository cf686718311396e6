// Step 6: what holds data is killed while customers write, everything is restarted, and the steps that a scenario names hold again.

import { differs, holds, type Observation } from '../probes/observation.ts'
import type { Deadline } from './deadline.ts'
import { isBusy } from './host-speed.ts'
import type { Graded, ObservedSteps } from './observed-steps.ts'
import { observeUntil } from './probe-tree.ts'
import { beginWrites } from './provocations.ts'
import { longerWaits, pauseMs } from './recent-starts.ts'
import { killAndRestart, restartServices } from './restarts.ts'

/** Left alone by longer waits, so that a step that had its own time fails for what was seen, and not for want of time. */
const decidingMs = 6_000

export const observeAfterRestart = async (
  { observer, instance }: Graded,
  steps: ObservedSteps,
  deadline: Deadline,
): Promise<Observation> => {
  const { restart = Object.keys(instance.guards), then, within_seconds } = instance.steps.survives_restart
  const written = await beginWrites(observer, instance)
  /** What holds data starts before the others stop: programs that wait for it would need all of their time to stop. */
  const lostStores = await killAndRestart(observer, instance.killed)
  const others = restart.filter((service) => !instance.killed.includes(service))
  const lost = [...lostStores, ...(await restartServices(observer, others))]
  if (!written.passed) return written
  if (lost.length > 0) return differs(lost.join('; '))
  /** What held once waits for the rest; under load all of it is observed again. */
  const waiting = new Set(then)
  const observeOnce = async () => {
    const seen = await Promise.all(
      [...waiting].map(async (step) => {
        const observation = await steps.observe(step)
        if (observation.passed) waiting.delete(step)
        return observation
      }),
    )
    return seen.find(({ passed }) => !passed) ?? holds(`holds after a restart of ${restart.join(', ')}`)
  }
  const wait = (mostMs = Number.POSITIVE_INFINITY) =>
    observeUntil(observeOnce, { pauseMs, withinMs: Math.min(within_seconds * 1000, mostMs) })
  let observation = await wait()
  const spareMs = () => deadline.leftMs() - decidingMs
  for (let more = 0; observation.timedOut && more < longerWaits && spareMs() > 0 && (await isBusy(observer)); more += 1)
    observation = await wait(spareMs())
  return observation
}
