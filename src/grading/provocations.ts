// What grading does to a sandbox to see whether a repair holds: services are killed in the middle of customers' writes, and the fault is
// given an occasion to come back. Whether it did, the steps tell that are observed afterwards.

import { z } from 'zod'
import type { Provocation } from '../catalog/provocation-file.ts'
import type { ScenarioInstance } from '../catalog/scenario-instance.ts'
import { differs, holds, type Observation, timedOut } from '../probes/observation.ts'
import type { ProbeContext } from '../probes/probe-kind.ts'
import type { Observer } from './observer.ts'
import { observe, observeUnlessKilled } from './probe-tree.ts'
import { killAndRestart } from './restarts.ts'

/** So many writes are confirmed before the kill, and they go on until it. */
const confirmedWrites = 12
const customers = 4
const leastSeconds = 0.4
const mostSeconds = 2
const answerMs = 10_000
const WritersAnswer = z.object({ confirmed: z.int() })

/** Has customers write into what is about to be killed, until some writes are confirmed; they go on until the kill. */
export const beginWrites = async (
  observer: Observer,
  { killed, writers }: Pick<ScenarioInstance, 'killed' | 'writers'>,
): Promise<Observation> => {
  if (killed.length === 0) return holds('')
  const question = {
    ask: 'write',
    acts: writers,
    concurrency: customers,
    confirmed: confirmedWrites,
    least_seconds: leastSeconds,
    seconds: mostSeconds,
  }
  const { confirmed } = await observer.ask(question, WritersAnswer, answerMs)
  return confirmed === 0 ? timedOut('no customer could write before the restart') : holds('')
}

const provokeOnce = async (observer: Observer, step: Provocation, context: ProbeContext): Promise<Observation> => {
  if (!('kill' in step)) return observeUnlessKilled(() => observe(step, context))
  const lost = await killAndRestart(observer, [step.kill])
  return lost.length === 0 ? holds('') : differs(lost.join('; '))
}

/** One after the other, up to the first that fails. */
export const provoke = async (observer: Observer, steps: readonly Provocation[], context: ProbeContext): Promise<Observation> => {
  for (const step of steps) {
    const observation = await provokeOnce(observer, step, context)
    if (!observation.passed) return observation
  }
  return holds('')
}
