// Lints what grading provokes: the kill in the middle of writes, and the ways in which the fault comes back.

import { z } from 'zod'
import { leavesOf } from './probe-file.ts'
import type { Provocation } from './provocation-file.ts'
import type { ScenarioFile } from './scenario-file.ts'
import type { PathProblem } from './schema-problems.ts'
import { killedServicesOf, writesOf } from './writers.ts'

/** How long customers write before a kill, and what a provocation by a kill takes, at most. */
const writingSeconds = 2
const restartSeconds = 2

const timeout = z.looseObject({ timeout_ms: z.number() })
const secondsOf = (step: Provocation): number => {
  if ('kill' in step) return restartSeconds
  const timeouts = leavesOf(step).map(({ spec }) => timeout.safeParse(spec).data?.timeout_ms ?? 0)
  return Math.max(0, ...timeouts) / 1000
}

const provokingSeconds = ({ steps }: ScenarioFile): number =>
  steps.stable_under_load.provoke.reduce((sum, step) => sum + secondsOf(step), 0)

/** What an evaluation lasts longer because of it. */
export const provocationSeconds = (file: ScenarioFile): number =>
  (killedServicesOf(file).length > 0 ? writingSeconds : 0) + Math.max(0, provokingSeconds(file) - file.steps.stable_under_load.seconds)

export const lintProvocations = (file: ScenarioFile): PathProblem[] => {
  const problems: PathProblem[] = []
  const { survives_restart, stable_under_load } = file.steps
  const say = (message: string, ...path: (string | number)[]) => problems.push({ path: ['steps', ...path], message })
  const isKnown = (service: string) => Object.hasOwn(file.services, service)

  const named = Array.isArray(survives_restart.kill) ? survives_restart.kill : []
  for (const service of named.filter((name) => !isKnown(name))) say(`there is no service ${service}`, 'survives_restart', 'kill')
  for (const [index, step] of stable_under_load.provoke.entries())
    if ('kill' in step && !isKnown(step.kill)) say(`there is no service ${step.kill}`, 'stable_under_load', 'provoke', index, 'kill')

  const writesNothing = writesOf(file).every(({ writes }) => writes === undefined)
  if (!writesNothing && survives_restart.kill === undefined && killedServicesOf(file).length === 0)
    say('has no kill, and records are read by scripts only: name what holds them, or say { never: reason }', 'survives_restart')
  if (writesNothing && named.length > 0)
    say('no act says what it writes: nothing is confirmed that a kill could lose', 'survives_restart', 'kill')
  if (killedServicesOf(file).length > 0 && !survives_restart.then.includes('data_preserved'))
    say('does not repeat data_preserved, although services are killed in the middle of writes', 'survives_restart', 'then')
  return problems
}
