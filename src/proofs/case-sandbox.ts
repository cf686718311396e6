// A sandbox of its own for each case of a proof: it is staged, worked on, graded and removed. Whoever uses this says what is done in it and
// what it means.

import { type Attempt, commandsOf } from '../catalog/attempt-file.ts'
import type { Scenario } from '../catalog/scenario.ts'
import type { ScenarioInstance } from '../catalog/scenario-instance.ts'
import { addMinutes, type Clock, stopwatch } from '../clock.ts'
import type { Engine, View } from '../engine/engine.ts'
import type { Baseline } from '../grading/baseline.ts'
import { grade, gradeWithRetry, type StepReport, type Verdict } from '../grading/grade.ts'
import type { LoadSemaphore } from '../grading/load-step.ts'
import { createId } from '../ids.ts'
import { stage } from '../sandboxes/start/staging.ts'
import { endOrKeep } from './end-or-keep.ts'

export interface ProofDeps {
  readonly engine: Engine
  readonly clock: Clock
  readonly loadSemaphore: LoadSemaphore
  /** Whether the sandbox of a case that failed is left for a look. */
  readonly keepsFailed?: boolean
}

export interface CaseSandbox {
  readonly sandbox: string
  readonly instance: ScenarioInstance
  readonly baseline: Baseline
  /** How long it took to stage it. */
  readonly startMs: number
}

export interface Staging {
  readonly seed: string
  readonly fault: boolean
}

const lifetimeMinutes = 30
const commandMs = 60_000

export interface CaseWork<Result> {
  readonly work: (staged: CaseSandbox) => Promise<Result>
  /** What it means that staging or the work threw. */
  readonly failed: (error: unknown) => Result
  /** Whether the sandbox is left for a look. */
  readonly isKept?: (result: Result) => boolean
}

/** Stages a sandbox for the work, and removes it afterwards, unless it is kept. */
export const withCaseSandbox = async <Result>(
  { engine, clock }: Pick<ProofDeps, 'engine' | 'clock'>,
  scenario: Scenario,
  { seed, fault }: Staging,
  { work, failed, isKept = () => false }: CaseWork<Result>,
): Promise<{ readonly result: Result; readonly kept?: string }> => {
  const sandbox = createId()
  const attempt = async (): Promise<Result> => {
    let view: View | undefined
    try {
      const elapsed = stopwatch()
      const instance = scenario.instantiate(seed)
      const deadline = addMinutes(clock.now(), lifetimeMinutes)
      const baseline = await stage(engine, clock, { id: sandbox, instance, deadline }, { fault })
      const startMs = elapsed()
      if (scenario.view)
        view = await engine.openView({ sandbox, service: scenario.containers[0] as string }, { beforeChange: async () => undefined })
      return await work({ sandbox, instance, baseline, startMs })
    } catch (error) {
      return failed(error)
    } finally {
      await view?.close()
    }
  }
  const result = await attempt()
  const kept = await endOrKeep(engine, sandbox, isKept(result))
  return kept === undefined ? { result } : { result, kept }
}

export interface ShellStep {
  readonly in: string
  readonly run: string
}

/** Runs a script as root in a service, in the way that users cannot tamper with. */
export const runStep = (engine: Engine, sandbox: string, { in: service, run }: ShellStep, outputBytes = 65_536) =>
  engine.execDirect({ sandbox, service }, { argv: ['sh', '-s'], stdin: run, timeoutMs: commandMs, outputBytes })

/** Does what a solution or a cheat says. What its commands exit with is its own affair. */
export const carryOut = async (engine: Engine, { sandbox, instance }: CaseSandbox, doing: Attempt): Promise<void> => {
  for (const step of commandsOf(doing, instance.params)) {
    const result = await runStep(engine, sandbox, step)
    if (result.timedOut) throw new Error(`${doing.name}: a command in ${step.in} timed out`)
  }
}

export const gradeOn = (
  { engine, loadSemaphore, clock }: ProofDeps,
  { sandbox, instance, baseline }: CaseSandbox,
  report?: StepReport,
): Promise<Verdict> =>
  gradeWithRetry((deadline) =>
    grade(engine, sandbox, instance, baseline, { loadSemaphore, deadline, clock, ...(report === undefined ? {} : { report }) }),
  )
