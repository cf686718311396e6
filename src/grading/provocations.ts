// What grading does to a sandbox to see whether a repair holds: services are killed in the middle of customers' writes, and the fault is
// given an occasion to come back. Whether it did, the steps tell that are observed afterwards.

import { z } from 'zod'
import type { Provocation } from '../catalog/provocation-file.ts'
import type { ScenarioInstance } from '../catalog/scenario-instance.ts'
import { isLabError, messageOf } from '../errors.ts'
import { differs, holds, type Observation, oneLine, timedOut } from '../probes/observation.ts'
import type { ProbeContext } from '../probes/probe-kind.ts'
import type { Observer } from './observer.ts'
import { observe, observeUnlessKilled } from './probe-tree.ts'

/** So many writes are confirmed before the kill, and they go on until it. */
const confirmedWrites = 12
const customers = 4
const leastSeconds = 0.4
const mostSeconds = 2
const answerMs = 10_000
const WritersAnswer = z.object({ confirmed: z.int() })

/** At once: its inspector, which ends with it, is closed meanwhile. */
const kill = async (observer: Observer, service: string): Promise<void> => {
  await Promise.all([observer.engine.kill({ sandbox: observer.sandbox, service }), observer.forget(service)])
}

/**
 * Kills the services of a scenario while its customers write; what they were told by then has to be there when the services run again.
 * Whoever calls starts them.
 */
export const killDuringWrites = async (
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
  await Promise.all(killed.map((service) => kill(observer, service)))
  return confirmed === 0 ? timedOut('no customer could write before the restart') : holds('')
}

const provokeOnce = async (observer: Observer, step: Provocation, context: ProbeContext): Promise<Observation> => {
  if (!('kill' in step)) return observeUnlessKilled(() => observe(step, context))
  try {
    await kill(observer, step.kill)
    await observer.engine.restart({ sandbox: observer.sandbox, service: step.kill })
    return holds('')
  } catch (error) {
    if (isLabError(error, 'engine_unavailable')) throw error
    return differs(`${step.kill} did not restart: ${oneLine(messageOf(error))}`)
  }
}

/** One after the other, up to the first that fails. */
export const provoke = async (observer: Observer, steps: readonly Provocation[], context: ProbeContext): Promise<Observation> => {
  for (const step of steps) {
    const observation = await provokeOnce(observer, step, context)
    if (!observation.passed) return observation
  }
  return holds('')
}
