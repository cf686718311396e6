// Step 7: for a window, customers put the system under load and the fault is given an occasion to come back. Errors and latency stay within the
// scenario's budget, and at the end of the window steps 1 to 5 hold again.

import { setTimeout as delay } from 'node:timers/promises'
import { holds, type Observation } from '../probes/observation.ts'
import { inspectedServices } from './baseline.ts'
import { judgeLoad, LoadAnswer } from './load-verdict.ts'
import type { Graded, ObservedSteps } from './observed-steps.ts'
import { observeAll, observeUnlessKilled } from './probe-tree.ts'
import { provoke } from './provocations.ts'

/** At the end of a load test: the time in which all steps are observed again. */
const observeAgainMs = 1_500
/** What the probe may need beyond the window to answer. */
const answerMs = 20_000

/** Limits how many load tests run at once on this host. */
export type LoadSemaphore = <T>(work: () => Promise<T>) => Promise<T>

/** `observeAgain` gives the first of steps 1 to 5 that no longer passes. */
export const observeUnderLoad = async (
  { observer, instance }: Graded,
  { context }: ObservedSteps,
  observeAgain: () => Promise<Observation | undefined>,
): Promise<Observation> => {
  const { seconds, load, budget, provoke: provocations, afterwards } = instance.steps.stable_under_load
  for (const service of inspectedServices(instance)) observer.warm(service)
  const timed = Math.max(seconds * 1000 - observeAgainMs, (seconds * 1000) / 2)
  const question = { ask: 'load', acts: instance.load, concurrency: load.concurrency, seconds, timed_seconds: timed / 1000 }
  const provoked = provoke(observer, provocations, context)
  const wrongUnderLoad = Promise.all([delay(timed), provoked]).then(observeAgain)
  const [answer, wrong] = await Promise.all([observer.ask(question, LoadAnswer, seconds * 1000 + answerMs), wrongUnderLoad])
  const held = await provoked
  if (!held.passed) return held
  const judged = judgeLoad(answer, budget)
  if (!judged.passed) return judged
  // Load may disturb a check, so a failure under load is verified after it.
  const still = wrong === undefined ? undefined : await observeAgain()
  if (still !== undefined) return still
  const seen = afterwards.length === 0 ? holds('') : await observeUnlessKilled(() => observeAll(afterwards, context))
  return seen.passed ? judged : seen
}
