// The proof of a scenario on real containers: healthy passes, the fault breaks what it says, every solution passes, every
// cheat is caught by the step that it names, and nothing that a user can see gives it away.

import { type Attempt, type Cheat, commandsOf, readCheats, readSolutions } from '../catalog/attempt-file.ts'
import type { Scenario, ScenarioInstance } from '../catalog/scenario.ts'
import { addMinutes, type Clock, stopwatch } from '../clock.ts'
import { type StepName, stepNames } from '../contract/evaluation.ts'
import type { Engine, View } from '../engine/engine.ts'
import { messageOf } from '../errors.ts'
import type { Baseline } from '../grading/baseline.ts'
import { grade, gradeWithRetry, type LoadSemaphore, type Verdict } from '../grading/grade.ts'
import { InfrastructureError } from '../grading/observer.ts'
import { createId } from '../ids.ts'
import { stage } from '../sandboxes/start/staging.ts'
import { findAnswerLeaks } from './answer-leaks.ts'
import { endOrKeep } from './end-or-keep.ts'

export interface ProofDeps {
  readonly engine: Engine
  readonly clock: Clock
  readonly loadSemaphore: LoadSemaphore
  /** Whether the sandbox of a case that failed is left for a look. */
  readonly keepsFailed?: boolean
}

export interface CaseResult {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  /** False when the infrastructure failed, which says nothing about the scenario. */
  readonly judged: boolean
  readonly seed: string
  readonly score: number | null
  readonly startMs: number
  readonly gradeMs: number
  /** From the first container to the verdict. */
  readonly totalMs: number
  /** Grading time outside the scenario's own restarts and load window. */
  readonly overheadMs: number
  /** The sandbox, where it was kept. */
  readonly kept?: string
}

/** One claim about a scenario, tested on a sandbox of its own. */
export interface ProofCase {
  readonly name: string
  readonly run: (seed: string) => Promise<CaseResult>
}

const observedSteps = stepNames.slice(0, 5)
const commandMs = 60_000

const failedSteps = (verdict: Verdict): StepName[] =>
  verdict.checkpoints.filter(({ passed }) => !passed).map(({ name }) => name as StepName)
const outputs = (verdict: Verdict) =>
  verdict.checkpoints
    .filter(({ passed, output }) => !passed && output !== 'not attempted')
    .map(({ name, output }) => `${name}: ${output}`)
    .join('; ')

type Judge = (verdict: Verdict, instance: ScenarioInstance) => string | null

const mustPass: Judge = (verdict) => (verdict.passed ? null : `not passed (${outputs(verdict)})`)

const mustBreak: Judge = (verdict, { breaks }) => {
  const broken = failedSteps(verdict).filter((step) => observedSteps.includes(step))
  const same = broken.length === breaks.length && broken.every((step) => breaks.includes(step))
  return same ? null : `breaks ${broken.join(', ') || 'nothing'}, not ${breaks.join(', ')} (${outputs(verdict)})`
}

const mustCatch =
  (cheat: Cheat): Judge =>
  (verdict) => {
    const step = verdict.checkpoints.find(({ name }) => name === cheat.fails)
    if (verdict.passed) return 'the cheat passed'
    if (step?.passed === false && step.output !== 'not attempted') return null
    return `${cheat.fails} did not catch it (${outputs(verdict)})`
  }

export const proofCases = async (deps: ProofDeps, scenario: Scenario): Promise<ProofCase[]> => {
  const { engine, clock, loadSemaphore, keepsFailed = false } = deps

  const attempt = async (sandbox: string, instance: ScenarioInstance, doing: Attempt) => {
    for (const step of commandsOf(doing, instance.params)) {
      const command = { argv: ['sh', '-s'], stdin: step.run, timeoutMs: commandMs, outputBytes: 65_536 }
      const result = await engine.execDirect({ sandbox, service: step.in }, command)
      if (result.timedOut) throw new Error(`${doing.name}: a command in ${step.in} timed out`)
    }
  }

  interface ProofSandbox {
    readonly sandbox: string
    readonly instance: ScenarioInstance
    readonly baseline: Baseline
  }

  interface Finding {
    readonly verdict: Verdict | null
    readonly complaint: string | null
    readonly gradeMs: number
  }

  interface Claim {
    readonly name: string
    readonly seed: string
    readonly fault: boolean
    readonly work: (proofSandbox: ProofSandbox) => Promise<Finding>
  }

  const tryOn = async (sandbox: string, { name, seed, fault, work }: Claim): Promise<CaseResult> => {
    const elapsed = stopwatch()
    let startMs = 0
    let view: View | undefined
    try {
      const instance = scenario.instantiate(seed)
      const baseline = await stage(engine, clock, { id: sandbox, instance, deadline: addMinutes(clock.now(), 30) }, { fault })
      startMs = elapsed()
      if (scenario.view)
        view = await engine.openView({ sandbox, service: scenario.containers[0] as string }, { beforeChange: async () => undefined })
      const { verdict, complaint, gradeMs } = await work({ sandbox, instance, baseline })
      const overheadMs = verdict === null ? 0 : verdict.durationMs - verdict.windowsMs
      const outcome = { ok: complaint === null, judged: true, detail: complaint ?? 'as claimed', score: verdict?.score ?? null }
      return { name, seed, ...outcome, startMs, gradeMs, totalMs: elapsed(), overheadMs }
    } catch (error) {
      const judged = !(error instanceof InfrastructureError)
      return {
        name,
        seed,
        ok: false,
        judged,
        detail: messageOf(error),
        score: null,
        startMs,
        gradeMs: 0,
        totalMs: elapsed(),
        overheadMs: 0,
      }
    } finally {
      await view?.close()
    }
  }

  const onSandboxOnce = async (claim: Claim): Promise<CaseResult> => {
    const sandbox = createId()
    const result = await tryOn(sandbox, claim)
    const kept = await endOrKeep(engine, sandbox, keepsFailed && result.judged && !result.ok)
    return kept === undefined ? result : { ...result, kept }
  }

  /** Retries once when the infrastructure failed. */
  const onSandbox = async (claim: Claim): Promise<CaseResult> => {
    const result = await onSandboxOnce(claim)
    return result.judged ? result : onSandboxOnce(claim)
  }

  const gradedCase = (name: string, fault: boolean, judge: Judge, doing?: Attempt): ProofCase => ({
    name,
    run: (seed) => {
      const work = async ({ sandbox, instance, baseline }: ProofSandbox): Promise<Finding> => {
        if (doing !== undefined) await attempt(sandbox, instance, doing)
        const elapsed = stopwatch()
        const verdict = await gradeWithRetry(() => grade(engine, sandbox, instance, baseline, { loadSemaphore, clock }))
        return { verdict, complaint: judge(verdict, instance), gradeMs: elapsed() }
      }
      return onSandbox({ name, seed, fault, work })
    },
  })

  const solutions = await readSolutions(scenario)
  const cheats = await readCheats(scenario, solutions)
  const reference = solutions.find(({ name }) => name === 'reference')
  if (reference === undefined) throw new Error(`${scenario.id} has no solutions/reference.yaml`)
  if (cheats.length < 3) throw new Error(`${scenario.id} has ${cheats.length} cheats; there must be at least three`)
  return [
    gradedCase('healthy', false, mustPass),
    gradedCase('nothing done', true, mustBreak),
    gradedCase('solution reference, again', true, mustPass, reference),
    ...solutions.map((solution) => gradedCase(`solution ${solution.name}`, true, mustPass, solution)),
    ...cheats.map((cheat) => gradedCase(`cheat ${cheat.name}`, true, mustCatch(cheat), cheat)),
    {
      name: 'leaks',
      run: (seed) => {
        const work = async ({ sandbox, instance }: ProofSandbox): Promise<Finding> => {
          const leaks = await findAnswerLeaks(engine, sandbox, scenario, instance, solutions)
          return { verdict: null, complaint: leaks.length === 0 ? null : leaks.join('; '), gradeMs: 0 }
        }
        return onSandbox({ name: 'leaks', seed, fault: true, work })
      },
    },
  ]
}
