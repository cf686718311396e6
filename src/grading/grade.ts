// Grades a live sandbox in seven steps. Steps 1 to 5 only observe, all at once; step 6 restarts services if these passed; step 7
// runs a load test if step 6 passed.

import type { ScenarioInstance } from '../catalog/scenario-instance.ts'
import { type ObservedStep, observedSteps } from '../catalog/steps-file.ts'
import { type Clock, stopwatch } from '../clock.ts'
import { type Checkpoint, evaluationSeconds, type StepName, stepNames, stepWeights } from '../contract/evaluation.ts'
import type { Engine } from '../engine/engine.ts'
import { differs, type Observation, oneLine, timedOut } from '../probes/observation.ts'
import type { Baseline } from './baseline.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { isWorthAnotherLook, requireFastHost, requireIdleHost, tooSlow } from './host-speed.ts'
import { type LoadSemaphore, observeUnderLoad } from './load-step.ts'
import { type Graded, observedStepsOf } from './observed-steps.ts'
import { openObserver } from './observer.ts'
import { waitForStarts } from './recent-starts.ts'
import { observeAfterRestart } from './restart-step.ts'

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

const notAttempted = differs('not attempted')
const late = () => timedOut(`what this step looks at did not end within the ${evaluationSeconds} s of an evaluation`)
/** What is kept of the promised time: to see whether the host is why the rest has run out, and to store the verdict. */
const closingMs = 2_000

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
    return await gradeWith({ observer, instance, baseline }, elapsed, options)
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

const gradeWith = async (
  graded: Graded,
  elapsed: () => number,
  { loadSemaphore, deadline, clock, report }: GradeOptions,
): Promise<Verdict> => {
  const { observer } = graded
  const steps = observedStepsOf(graded)
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
  /** Time that a step spends in what the scenario asks for. */
  const inWindow = async (work: () => Promise<Observation>): Promise<Observation> => {
    const window = stopwatch()
    const observation = await work()
    windowsMs += window()
    return observation
  }

  const started = await deadline.within(
    () => waitForStarts(graded, steps, clock),
    () => undefined,
  )
  windowsMs += started?.waitedMs ?? 0
  const seenAtStart = started?.seen
  /** What may be no fault of the sandbox is believed when it was seen twice. */
  const observeFairly = async (step: StepName, work: () => Promise<Observation>): Promise<Observation> => {
    const observation = await record(step, work)
    return deadline.leftMs() > 0 && (await isWorthAnotherLook(observer, observation)) ? record(step, work) : observation
  }
  /** What held when the machines had started is not looked at twice. */
  const first = await Promise.all(
    steps.all.map(async ([step, work], index) => {
      const seen = seenAtStart?.[index]
      if (seen !== undefined) note(step, seen, elapsed() - (started?.lookMs ?? 0))
      return settle(step, seen ?? (await observeFairly(step, work)))
    }),
  )

  /** The first step that no longer passes. */
  const observeAgain = async (): Promise<Observation | undefined> =>
    (await Promise.all(steps.all.map(([step, work]) => record(step, work)))).find(({ passed }) => !passed)

  const afterRestart = () => inWindow(() => observeAfterRestart(graded, steps, deadline))
  const underLoad = () => {
    const resume = deadline.pause()
    return loadSemaphore(() => {
      resume()
      return inWindow(() => observeUnderLoad(graded, steps, observeAgain))
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
