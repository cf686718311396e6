// Grades a live sandbox in seven steps. Steps 1 to 5 only observe, all at once; step 6 restarts services if these passed; step 7
// runs a load test if step 6 passed.

import type { ScenarioInstance } from '../catalog/scenario.ts'
import { type ObservedStep, observedSteps } from '../catalog/steps-file.ts'
import { type Clock, stopwatch } from '../clock.ts'
import { type Checkpoint, evaluationSeconds, type StepName, stepNames, stepWeights } from '../contract/evaluation.ts'
import type { Engine } from '../engine/engine.ts'
import { isLabError, messageOf } from '../errors.ts'
import { differAll, differs, holds, type Observation, oneLine, sawOf, timedOut } from '../probes/observation.ts'
import type { ProbeContext } from '../probes/probe-kind.ts'
import { type Baseline, baselineNames, inspectedServices } from './baseline.ts'
import { observeStores } from './data-stores.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { isBusy, requireFastHost, requireIdleHost, tooSlow } from './host-controls.ts'
import { judgeLoad, LoadAnswer } from './load-verdict.ts'
import { observeKeptLogs, observeWrittenLogs } from './logs.ts'
import { type Observer, openObserver } from './observer.ts'
import { observeAll, observeUntil } from './probe-tree.ts'
import { killDuringWrites, provoke } from './provocations.ts'
import { observeRecords } from './records.ts'
import { observeSecrets } from './secrets.ts'
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

/** What was restarted gets its time again on a busy host, so often at most. */
const longerWaits = 2
/** What a machine that was just restarted may need to start its programs; on a busy host as often again as a window. */
const startMs = 5_000
const pauseMs = 200
const notAttempted = differs('not attempted')
const late = () => timedOut(`what this step looks at did not end within the ${evaluationSeconds} s of an evaluation`)
/** At the end of a load test: the time in which all steps are observed again. */
const observeAgainMs = 1_500
/** Left alone by longer waits, so that a step that had its own time fails for what was seen, and not for want of time. */
const decidingMs = 6_000
/** What is kept of the promised time: to see whether the host is why the rest has run out, and to store the verdict. */
const closingMs = 2_000

/** Limits how many load tests run at once on this host. */
export type LoadSemaphore = <T>(work: () => Promise<T>) => Promise<T>

export const evaluationDeadline = (): Deadline => startDeadline(evaluationSeconds * 1000 - closingMs)

export interface GradeOptions {
  readonly loadSemaphore: LoadSemaphore
  /** Shared with an earlier attempt at the same evaluation. */
  readonly deadline: Deadline
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

/**
 * Retries once, whatever the error: what a service did is in the verdict, not thrown. Both attempts share one deadline, and once it has
 * passed there is no other.
 */
export const gradeWithRetry = async (
  work: (deadline: Deadline) => Promise<Verdict>,
  between: (error: unknown) => Promise<void> = async () => undefined,
  deadline: Deadline = evaluationDeadline(),
): Promise<Verdict> => {
  try {
    return await work(deadline)
  } catch (error) {
    if (deadline.leftMs() === 0) throw error
    await between(error)
    deadline.shorten()
    return await work(deadline)
  } finally {
    deadline.end()
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

const gradeWith = async (
  observer: Observer,
  instance: ScenarioInstance,
  baseline: Baseline,
  elapsed: () => number,
  { loadSemaphore, deadline, clock, report }: GradeOptions,
): Promise<Verdict> => {
  const context: ProbeContext = { observer, scriptText: instance.scriptText, values: baselineNames(baseline) }
  const evidence: Evidence[] = []
  const final = new Map<StepName, Observation>()
  let windowsMs = 0

  const note = (step: StepName, { passed, saw }: Observation, from_ms: number) =>
    evidence.push({ step, passed, saw, from_ms, to_ms: elapsed() })
  const record = async (step: StepName, work: () => Promise<Observation>): Promise<Observation> => {
    const from_ms = elapsed()
    const observation = await deadline.within(work, late)
    note(step, observation, from_ms)
    return observation
  }
  /** Once for all steps that had no time left: together, the controls would slow down each other. */
  let idle: Promise<void> | undefined
  const requireHost = (saw: string): Promise<void> => {
    if (deadline.leftMs() > 0) return requireFastHost(observer, saw)
    if (deadline.isShortened()) throw tooSlow(saw)
    idle ??= requireIdleHost(observer, saw)
    return idle
  }
  const settle = async (step: StepName, observation: Observation): Promise<boolean> => {
    if (observation.timedOut) await requireHost(observation.saw)
    final.set(step, observation)
    const outcome = observation === notAttempted ? 'not attempted' : observation.passed ? 'passed' : 'not passed'
    report?.(step, outcome, outputOf(step, observation))
    return observation.passed
  }
  const observeAuthored = (step: ObservedStep) => observeAll(instance.steps[step], context)
  /** What the product sees to in a step by itself. */
  const ownChecks: Partial<Record<ObservedStep, readonly (() => Promise<Observation>)[]>> = {
    data_preserved: [
      () => observeRecords(observer, instance.records, baseline.records),
      () => observeKeptLogs(observer, instance.watched, baseline.logs),
    ],
    safeguards_kept: [
      () => observeStores(observer, instance.dataStores, baseline.stores),
      () => observeWrittenLogs(observer, instance.watched, baseline.logs),
      () => observeSecrets(observer, instance, baseline.secrets),
    ],
  }
  const observeStep = async (step: ObservedStep): Promise<Observation> => {
    const all = await Promise.all([observeAuthored(step), ...(ownChecks[step] ?? []).map((observe) => observe())])
    const wrong = all.filter(({ passed }) => !passed)
    return wrong.length > 0 ? differAll(wrong) : holds(sawOf(all))
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
  /** Whoever restarts a machine and has it graded at once is not failed for what has not started yet. What held then is not looked at twice. */
  const waitForStarts = async (): Promise<readonly Observation[] | undefined> => {
    const window = stopwatch()
    let seen: readonly Observation[] = []
    let from_ms = elapsed()
    const observeOnce = async () => {
      from_ms = elapsed()
      seen = await Promise.all(observed.map(([, work]) => work()))
      return seen.find(({ passed }) => !passed) ?? holds('started')
    }
    const wait = (withinMs: number) => observeUntil(observeOnce, { pauseMs, withinMs })
    const leftMs = await startingMs()
    if (leftMs <= 0) return undefined
    let observation = await wait(leftMs)
    for (let more = 0; !observation.passed && more < longerWaits && (await isBusy(observer)); more += 1) observation = await wait(startMs)
    windowsMs += window()
    if (!observation.passed) return undefined
    for (const [index, [step]] of observed.entries()) note(step, seen[index] as Observation, from_ms)
    return seen
  }
  const started = await deadline.within(waitForStarts, () => undefined)
  /** On a busy host, a timeout is believed when it was seen twice. */
  const observeFairly = async (step: StepName, work: () => Promise<Observation>): Promise<Observation> => {
    const observation = await record(step, work)
    return observation.timedOut && deadline.leftMs() > 0 && (await isBusy(observer)) ? record(step, work) : observation
  }
  const first = await Promise.all(
    observed.map(async ([step, work], index) => settle(step, started?.[index] ?? (await observeFairly(step, work)))),
  )

  const afterRestart = async (): Promise<Observation> => {
    const { restart = Object.keys(instance.guards), then: steps, within_seconds } = instance.steps.survives_restart
    const window = stopwatch()
    const written = await killDuringWrites(observer, instance)
    const lost = await restartServices(observer, [...new Set([...restart, ...instance.killed])])
    if (!written.passed) return written
    /** What held once waits for the rest; under load all of it is observed again. */
    const waiting = new Set(steps)
    const observeWaiting = async (step: ObservedStep) => {
      const observation = await observeStep(step)
      if (observation.passed) waiting.delete(step)
      return observation
    }
    const observeOnce = async () => {
      const seen = await Promise.all([...waiting].map(observeWaiting))
      return seen.find(({ passed }) => !passed) ?? holds(`holds after a restart of ${restart.join(', ')}`)
    }
    const wait = (mostMs = Number.POSITIVE_INFINITY) =>
      observeUntil(observeOnce, { pauseMs, withinMs: Math.min(within_seconds * 1000, mostMs) })
    let observation = lost.length > 0 ? differs(lost.join('; ')) : await wait()
    const spareMs = () => deadline.leftMs() - decidingMs
    for (let more = 0; observation.timedOut && more < longerWaits && spareMs() > 0 && (await isBusy(observer)); more += 1)
      observation = await wait(spareMs())
    windowsMs += window()
    return observation
  }

  /** The first step that no longer passes. Load may disturb a check, so a failure under load is verified after it. */
  const observeAgain = async (): Promise<Observation | undefined> =>
    (await Promise.all(observed.map(([step, work]) => record(step, work)))).find(({ passed }) => !passed)

  const underLoad = () => {
    const resume = deadline.pause()
    return loadSemaphore(async (): Promise<Observation> => {
      resume()
      const { seconds, load, budget, provoke: provocations, afterwards } = instance.steps.stable_under_load
      const window = stopwatch()
      for (const service of inspectedServices(instance)) observer.warm(service)
      const timed = Math.max(seconds * 1000 - observeAgainMs, (seconds * 1000) / 2)
      const question = { ask: 'load', acts: instance.load, concurrency: load.concurrency, seconds, timed_seconds: timed / 1000 }
      const provoked = provoke(observer, provocations, context)
      const wrongUnderLoad = Promise.all([new Promise((resolve) => setTimeout(resolve, timed)), provoked]).then(observeAgain)
      const [answer, wrong] = await Promise.all([observer.ask(question, LoadAnswer, seconds * 1000 + 20_000), wrongUnderLoad])
      windowsMs += window()
      const held = await provoked
      if (!held.passed) return held
      const judged = judgeLoad(answer, budget)
      if (!judged.passed) return judged
      const still = (wrong === undefined ? undefined : await observeAgain()) ?? judged
      if (!still.passed || afterwards.length === 0) return still
      const seen = await observeAll(afterwards, context)
      return seen.passed ? judged : seen
    }).finally(resume)
  }

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
