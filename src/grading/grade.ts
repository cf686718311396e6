// Grades a live sandbox in seven steps. Steps 1 to 5 only observe, all at once; step 6 restarts services if these passed; step 7
// runs a load test if step 6 passed.

import { z } from 'zod'
import type { ScenarioInstance } from '../catalog/scenario.ts'
import { type ObservedStep, observedSteps } from '../catalog/steps-file.ts'
import { type Clock, stopwatch } from '../clock.ts'
import { type Checkpoint, type StepName, stepNames, stepWeights } from '../contract/evaluation.ts'
import type { Engine } from '../engine/engine.ts'
import { isLabError, messageOf } from '../errors.ts'
import { ScriptAnswer } from '../probes/kinds/script.ts'
import { differAll, differs, holds, type Observation, oneLine, sawOf } from '../probes/observation.ts'
import type { ProbeContext } from '../probes/probe-kind.ts'
import { type Baseline, baselineNames, isInspected } from './baseline.ts'
import { observeStores } from './data-stores.ts'
import { InfrastructureError, type Observer, openObserver } from './observer.ts'
import { observeAll, observeUntil } from './probe-tree.ts'
import { observeRecords } from './records.ts'
import { observeTopology } from './topology.ts'

export type StepOutcome = 'passed' | 'not passed' | 'not attempted'

/** Called for each step as soon as it is decided, with the very output that the evaluation will have. */
export type StepReport = (step: StepName, outcome: StepOutcome, output: string) => void

export interface Evidence {
  readonly step: StepName
  readonly passed: boolean
  readonly saw: string
  readonly from_ms: number
  readonly to_ms: number
}

export interface Verdict {
  readonly passed: boolean
  readonly score: number
  readonly checkpoints: readonly Checkpoint[]
  readonly evidence: readonly Evidence[]
  /** Time spent in the scenario's own restarts and load window. */
  readonly windowsMs: number
  readonly durationMs: number
}

const LoadAnswer = z.object({
  count: z.int(),
  errors: z.int(),
  sample: z.string().nullable(),
  p95_ms: z.number().nullable(),
  control_p95_ms: z.number().nullable(),
})

/** Above this latency of the control, the host is too slow to judge latencies. */
const controlBoundMs = 100
/** Above this latency of the control, the host is too slow to judge even failed requests. */
const standstillMs = 500
/** How many times an empty script is timed after a timeout, to see whether the host is slow. */
const controls = 5
/** Above this mean of the control, what timed out gets its time again; what was restarted, so often at most. */
const busyMs = 12
const longerWaits = 2
/** What a machine that was just restarted may need to start its programs; on a busy host as often again as a window. */
const startMs = 5_000
const nothing = { ask: 'script', text: ':', env: {}, timeout_ms: 10_000 }
const pauseMs = 200
const notAttempted = differs('not attempted')
/** At the end of a load test: the time in which all steps are observed again. */
const observeAgainMs = 1_500

/** Limits how many load tests run at once on this host. */
export type LoadSemaphore = <T>(work: () => Promise<T>) => Promise<T>

export interface GradeOptions {
  readonly loadSemaphore: LoadSemaphore
  readonly clock: Clock
  readonly report?: StepReport
}

export const grade = async (
  engine: Engine,
  sandbox: string,
  instance: ScenarioInstance,
  baseline: Baseline,
  options: GradeOptions,
): Promise<Verdict> => {
  const elapsed = stopwatch()
  const observer = openObserver(engine, sandbox)
  try {
    return await gradeWith(observer, instance, baseline, elapsed, options)
  } finally {
    void observer.close() // not awaited: the verdict does not depend on it
  }
}

/** Retries once, whatever the error: what a service did is in the verdict, not thrown. */
export const gradeWithRetry = async (
  work: () => Promise<Verdict>,
  between: (error: unknown) => Promise<void> = async () => undefined,
): Promise<Verdict> => {
  try {
    return await work()
  } catch (error) {
    await between(error)
    return work()
  }
}

/** Details of what probes saw are kept as evidence and not sent to callers, who could use them to game the checks. */
const isAuthored = (name: StepName): name is ObservedStep => observedSteps.includes(name as ObservedStep)
const outputOf = (name: StepName, { passed, saw }: Observation): string => (passed && isAuthored(name) ? 'as expected' : oneLine(saw, 500))

const restartServices = async (observer: Observer, services: readonly string[]): Promise<string[]> => {
  const outcomes = await Promise.all(
    services.map(async (service) => {
      await observer.forget(service)
      try {
        await observer.engine.restart({ sandbox: observer.sandbox, service })
        return null
      } catch (error) {
        if (isLabError(error, 'engine_unavailable')) throw error
        return `${service} did not restart: ${oneLine(messageOf(error))}`
      }
    }),
  )
  return outcomes.filter((outcome) => outcome !== null)
}

const tooSlow = (saw: string) => new InfrastructureError(`the host is too slow to judge: ${saw}`)

/** How long it takes each time. */
const timesOf = async (count: number, work: () => Promise<unknown>): Promise<number[]> => {
  const times: number[] = []
  while (times.length < count) {
    const took = stopwatch()
    await work()
    times.push(took())
  }
  return times
}
const medianOf = (times: readonly number[]): number => times.toSorted((left, right) => left - right)[times.length >> 1] as number
const meanOf = (times: readonly number[]): number => times.reduce((sum, time) => sum + time, 0) / times.length

/** On an idle host this takes five to ten milliseconds. */
const runNothing = (observer: Observer) => observer.ask(nothing, ScriptAnswer, 15_000)

/** After a timeout: throws if the host itself is slow, or busy with inspections of other sandboxes. */
const requireFastHost = async (observer: Observer, saw: string): Promise<void> => {
  const times = await Promise.all([
    timesOf(controls, () => runNothing(observer)),
    timesOf(controls, () => observer.engine.inspectNothing()),
  ])
  if (Math.max(...times.map(medianOf)) > controlBoundMs) throw tooSlow(saw)
}

/** Whether services need longer than usual to start. */
const isBusy = async (observer: Observer): Promise<boolean> => meanOf(await timesOf(2 * controls, () => runNothing(observer))) > busyMs

const judgeLoad = (answer: z.infer<typeof LoadAnswer>, budget: ScenarioInstance['steps']['stable_under_load']['budget']): Observation => {
  const rate = answer.count === 0 ? 1 : answer.errors / answer.count
  const seen = `${answer.count} requests, ${answer.errors} failed${answer.sample === null ? '' : ` (${oneLine(answer.sample, 80)})`}, p95 ${answer.p95_ms} ms`
  const wrong = answer.count === 0 || rate > budget.error_rate
  if (!wrong && (answer.p95_ms ?? 0) <= budget.p95_ms) return holds(seen)
  if ((answer.control_p95_ms ?? 0) > (wrong ? standstillMs : controlBoundMs)) throw tooSlow(seen)
  return differs(seen)
}

const gradeWith = async (
  observer: Observer,
  instance: ScenarioInstance,
  baseline: Baseline,
  elapsed: () => number,
  { loadSemaphore, clock, report }: GradeOptions,
): Promise<Verdict> => {
  const context: ProbeContext = { observer, scriptText: instance.scriptText, values: baselineNames(baseline) }
  const evidence: Evidence[] = []
  const final = new Map<StepName, Observation>()
  let windowsMs = 0

  const record = async (step: StepName, work: () => Promise<Observation>): Promise<Observation> => {
    const from_ms = elapsed()
    const observation = await work()
    evidence.push({ step, passed: observation.passed, saw: observation.saw, from_ms, to_ms: elapsed() })
    return observation
  }
  const settle = async (step: StepName, observation: Observation): Promise<boolean> => {
    if (observation.timedOut) await requireFastHost(observer, observation.saw)
    final.set(step, observation)
    const outcome = observation === notAttempted ? 'not attempted' : observation.passed ? 'passed' : 'not passed'
    report?.(step, outcome, outputOf(step, observation))
    return observation.passed
  }
  const observeAuthored = (step: ObservedStep) => observeAll(instance.steps[step], context)
  /** What the product sees to in a step by itself. */
  const ownChecks: Partial<Record<ObservedStep, () => Promise<Observation>>> = {
    data_preserved: () => observeRecords(observer, instance.records, baseline.records),
    safeguards_kept: () => observeStores(observer, instance.dataStores, baseline.stores),
  }
  const observeStep = async (step: ObservedStep): Promise<Observation> => {
    const both = await Promise.all([observeAuthored(step), ownChecks[step]?.() ?? holds('')])
    const wrong = both.filter(({ passed }) => !passed)
    return wrong.length > 0 ? differAll(wrong) : holds(sawOf(both))
  }
  const topology = () => observeTopology(observer, instance.guards, baseline)

  const observed: readonly (readonly [StepName, () => Promise<Observation>])[] = [
    ['topology_intact', topology],
    ['service_recovered', () => observeStep('service_recovered')],
    ['root_cause_removed', () => observeStep('root_cause_removed')],
    ['data_preserved', () => observeStep('data_preserved')],
    ['safeguards_kept', () => observeStep('safeguards_kept')],
  ]

  /** How long the machines that the user restarted last may still need; 0 or less for none. */
  const startingMs = async (): Promise<number> => {
    const services = (await observer.engine.describe(observer.sandbox))?.services ?? []
    const restarts = services.map(({ startedAt }) => startedAt?.getTime() ?? 0).filter((at) => at > baseline.takenAt * 1000)
    return Math.max(0, ...restarts) + startMs - clock.now().getTime()
  }
  /** Whoever restarts a machine and has it graded at once is not failed for what has not started yet. */
  const waitForStarts = async (): Promise<void> => {
    const window = stopwatch()
    const observeOnce = async () =>
      (await Promise.all(observed.map(([, work]) => work()))).find(({ passed }) => !passed) ?? holds('started')
    const wait = (withinMs: number) => observeUntil(observeOnce, { pauseMs, withinMs })
    const leftMs = await startingMs()
    if (leftMs <= 0) return
    let observation = await wait(leftMs)
    for (let more = 0; !observation.passed && more < longerWaits && (await isBusy(observer)); more += 1) observation = await wait(startMs)
    windowsMs += window()
  }
  await waitForStarts()
  /** On a busy host, a timeout is believed when it was seen twice. */
  const observeFairly = async (step: StepName, work: () => Promise<Observation>): Promise<Observation> => {
    const observation = await record(step, work)
    return observation.timedOut && (await isBusy(observer)) ? record(step, work) : observation
  }
  const first = await Promise.all(observed.map(async ([step, work]) => settle(step, await observeFairly(step, work))))

  const afterRestart = async (): Promise<Observation> => {
    const { restart = Object.keys(instance.guards), then: steps, within_seconds } = instance.steps.survives_restart
    const window = stopwatch()
    const lost = await restartServices(observer, restart)
    const observeOnce = async () =>
      (await Promise.all(steps.map(observeStep))).find(({ passed }) => !passed) ?? holds(`holds after a restart of ${restart.join(', ')}`)
    const wait = () => observeUntil(observeOnce, { pauseMs, withinMs: within_seconds * 1000 })
    let observation = lost.length > 0 ? differs(lost.join('; ')) : await wait()
    for (let more = 0; observation.timedOut && more < longerWaits && (await isBusy(observer)); more += 1) observation = await wait()
    windowsMs += window()
    return observation
  }

  /** The first step that no longer passes. Load may disturb a check, so a failure under load is verified after it. */
  const observeAgain = async (): Promise<Observation | undefined> =>
    (await Promise.all(observed.map(([step, work]) => record(step, work)))).find(({ passed }) => !passed)

  const underLoad = () =>
    loadSemaphore(async (): Promise<Observation> => {
      const { seconds, load, budget } = instance.steps.stable_under_load
      const window = stopwatch()
      for (const [service, guard] of Object.entries(instance.guards)) if (isInspected(guard)) observer.warm(service)
      const timed = Math.max(seconds * 1000 - observeAgainMs, (seconds * 1000) / 2)
      const question = { ask: 'load', acts: instance.load, concurrency: load.concurrency, seconds, timed_seconds: timed / 1000 }
      const wrongUnderLoad = new Promise((resolve) => setTimeout(resolve, timed)).then(observeAgain)
      const [answer, wrong] = await Promise.all([observer.ask(question, LoadAnswer, seconds * 1000 + 20_000), wrongUnderLoad])
      windowsMs += window()
      const judged = judgeLoad(answer, budget)
      if (!judged.passed) return judged
      return (wrong === undefined ? undefined : await observeAgain()) ?? judged
    })

  const held = first.every(Boolean)
  const restarted = await settle('survives_restart', held ? await record('survives_restart', afterRestart) : notAttempted)
  await settle('stable_under_load', restarted ? await record('stable_under_load', underLoad) : notAttempted)

  const checkpoints = stepNames.map((name) => {
    const observation = final.get(name) ?? notAttempted
    return { name, passed: observation.passed, output: outputOf(name, observation) }
  })
  return {
    passed: checkpoints.every((checkpoint) => checkpoint.passed),
    score: checkpoints.reduce((sum, { name, passed }) => sum + (passed ? stepWeights[name] : 0), 0),
    checkpoints,
    evidence,
    windowsMs,
    durationMs: elapsed(),
  }
}
