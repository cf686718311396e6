// The proof of a scenario on real containers: healthy passes, the fault breaks what it says, every solution passes, every
// cheat is caught by the step that it names, and nothing that a user can see gives it away.

import { type Attempt, type Cheat, readCheats, readSolutions, type Solution } from '../catalog/attempt-file.ts'
import type { Scenario } from '../catalog/scenario.ts'
import type { ScenarioInstance } from '../catalog/scenario-instance.ts'
import { stopwatch } from '../clock.ts'
import { type StepName, stepNames } from '../contract/evaluation.ts'
import { messageOf } from '../errors.ts'
import type { Evidence, Verdict } from '../grading/grade.ts'
import { InfrastructureError } from '../grading/observer.ts'
import { findAnswerLeaks } from './answer-leaks.ts'
import { type CaseSandbox, carryOut, gradeOn, type ProofDeps, withCaseSandbox } from './case-sandbox.ts'

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
  /** When each step was observed, and what was seen. */
  readonly evidence?: readonly Evidence[]
  /** The sandbox, where it was kept. */
  readonly kept?: string
}

/** One claim about a scenario, tested on a sandbox of its own. */
export interface ProofCase {
  readonly name: string
  readonly run: (seed: string) => Promise<CaseResult>
}

const observedSteps = stepNames.slice(0, 5)

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

/** Throws where a scenario has none. */
export const referenceOf = (scenario: Scenario, solutions: readonly Solution[]): Solution => {
  const reference = solutions.find(({ name }) => name === 'reference')
  if (reference === undefined) throw new Error(`${scenario.id} has no solutions/reference.yaml`)
  return reference
}

export const proofCases = async (deps: ProofDeps, scenario: Scenario): Promise<ProofCase[]> => {
  const { engine, keepsFailed = false } = deps

  interface Finding {
    readonly verdict: Verdict | null
    readonly complaint: string | null
    readonly gradeMs: number
  }

  interface Claim {
    readonly name: string
    readonly seed: string
    readonly fault: boolean
    readonly work: (staged: CaseSandbox) => Promise<Finding>
  }

  const onSandboxOnce = async ({ name, seed, fault, work }: Claim): Promise<CaseResult> => {
    const elapsed = stopwatch()
    let startMs = 0
    const { result, kept } = await withCaseSandbox<CaseResult>(
      deps,
      scenario,
      { seed, fault },
      {
        work: async (staged) => {
          startMs = staged.startMs
          const { verdict, complaint, gradeMs } = await work(staged)
          const overheadMs = verdict === null ? 0 : verdict.durationMs - verdict.windowsMs
          const outcome = { ok: complaint === null, judged: true, detail: complaint ?? 'as claimed', score: verdict?.score ?? null }
          const took = { startMs, gradeMs, totalMs: elapsed(), overheadMs }
          return { name, seed, ...outcome, ...took, ...(verdict === null ? {} : { evidence: verdict.evidence }) }
        },
        failed: (error) => {
          const outcome = { ok: false, judged: !(error instanceof InfrastructureError), detail: messageOf(error), score: null }
          return { name, seed, ...outcome, startMs, gradeMs: 0, totalMs: elapsed(), overheadMs: 0 }
        },
        isKept: ({ judged, ok }) => keepsFailed && judged && !ok,
      },
    )
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
      const work = async (staged: CaseSandbox): Promise<Finding> => {
        if (doing !== undefined) await carryOut(engine, staged, doing)
        const elapsed = stopwatch()
        const verdict = await gradeOn(deps, staged)
        return { verdict, complaint: judge(verdict, staged.instance), gradeMs: elapsed() }
      }
      return onSandbox({ name, seed, fault, work })
    },
  })

  const solutions = await readSolutions(scenario)
  const cheats = await readCheats(scenario, solutions)
  const reference = referenceOf(scenario, solutions)
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
        const work = async ({ sandbox, instance }: CaseSandbox): Promise<Finding> => {
          const leaks = await findAnswerLeaks(engine, sandbox, scenario, instance, solutions)
          return { verdict: null, complaint: leaks.length === 0 ? null : leaks.join('; '), gradeMs: 0 }
        }
        return onSandbox({ name: 'leaks', seed, fault: true, work })
      },
    },
  ]
}
