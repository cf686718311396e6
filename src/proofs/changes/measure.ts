// Tries changes on sandboxes of their own: fault, reference solution, the change, the grade. What a grade of 100 means, whoever asks says:
// a damage has survived, a harmless change was treated fairly.

import { commandsOf, readSolutions } from '../../catalog/attempt-file.ts'
import type { Scenario } from '../../catalog/scenario.ts'
import { stopwatch } from '../../clock.ts'
import { messageOf } from '../../errors.ts'
import { evaluationDeadline, grade } from '../../grading/grade.ts'
import { type CaseSandbox, carryOut, type ProofDeps, runStep, withCaseSandbox } from '../case-sandbox.ts'
import { referenceOf } from '../proof.ts'
import type { Change, ChangeKind, ChangeStep, Subject } from './change-kind.ts'
import { candidatesOf, orderOf } from './draw.ts'
import { takeInventory } from './inventory.ts'

/** `not applied`: its script did not do it. `not judged`: the infrastructure failed, twice. Both say nothing about the grader. */
export type Outcome = 'full marks' | 'marked down' | 'not applied' | 'not judged'

export interface TriedChange {
  readonly change: Change
  readonly outcome: Outcome
  /** The step that failed with what was seen, or why nothing was judged. */
  readonly detail: string
  readonly ms: number
}

export interface Draw {
  readonly seed: string
  /** How many have to be judged. */
  readonly count: number
  /** Only those whose name contains this. */
  readonly only?: string
}

export interface TrialOptions {
  /** How many sandboxes at once. */
  readonly jobs: number
  /** Those that are drawn, and not tried: damages that are declared as equivalent mutants. */
  readonly isDeclared?: (change: Change) => boolean
  readonly report?: (tried: TriedChange | undefined, judged: number, change: Change | undefined) => void
}

export interface Measured {
  readonly seed: string
  readonly candidates: number
  readonly tried: readonly TriedChange[]
  readonly declared: readonly Change[]
}

type Verdict = Pick<TriedChange, 'outcome' | 'detail'>

/** Ends with the first step that is seen to fail; what is still observed then is left to itself. */
const gradeUntilDecided = ({ engine, loadSemaphore, clock }: ProofDeps, { sandbox, instance, baseline }: CaseSandbox): Promise<Verdict> =>
  new Promise((resolve, reject) => {
    const deadline = evaluationDeadline()
    grade(engine, sandbox, instance, baseline, {
      loadSemaphore,
      deadline,
      clock,
      report: (step, outcome, output) => {
        if (outcome === 'not passed') resolve({ outcome: 'marked down', detail: `${step}: ${output}` })
      },
    })
      .finally(deadline.end)
      .then(({ score }) => resolve({ outcome: score === 100 ? 'full marks' : 'marked down', detail: `${score} points` }), reject)
  })

/** Returns why it was not done; undefined when it was. */
const applyStep = async ({ engine }: ProofDeps, { sandbox }: CaseSandbox, step: ChangeStep): Promise<string | undefined> => {
  if ('restart' in step) {
    await engine.restart({ sandbox, service: step.restart })
    return undefined
  }
  const { exitCode, timedOut, stdout, stderr } = await runStep(engine, sandbox, step)
  if (timedOut) return `a command in ${step.in} timed out`
  return exitCode === 0 ? undefined : `exit code ${exitCode} in ${step.in}: ${`${stderr}${stdout}`.trim().slice(0, 200)}`
}

const notJudged = (error: unknown): Verdict => ({ outcome: 'not judged', detail: messageOf(error) })

/** On a sandbox with its fault, repaired by the reference unless told otherwise. */
const withSandbox = async (
  deps: ProofDeps,
  scenario: Scenario,
  { seed, isRepaired = true }: { readonly seed: string; readonly isRepaired?: boolean },
  work: (staged: CaseSandbox) => Promise<Verdict>,
): Promise<Verdict> => {
  const reference = referenceOf(scenario, await readSolutions(scenario))
  const attempt = async () =>
    (
      await withCaseSandbox<Verdict>(
        deps,
        scenario,
        { seed, fault: true },
        {
          work: async (staged) => {
            if (isRepaired) await carryOut(deps.engine, staged, reference)
            return work(staged)
          },
          failed: notJudged,
        },
      )
    ).result
  const first = await attempt()
  return first.outcome === 'not judged' ? attempt() : first
}

export const tryChange = async (deps: ProofDeps, scenario: Scenario, seed: string, change: Change): Promise<TriedChange> => {
  const elapsed = stopwatch()
  const verdict = await withSandbox(deps, scenario, { seed, isRepaired: change.instead !== true }, async (staged) => {
    for (const step of change.steps) {
      const detail = await applyStep(deps, staged, step)
      if (detail !== undefined) return { outcome: 'not applied', detail }
    }
    return gradeUntilDecided(deps, staged)
  })
  return { change, ...verdict, ms: elapsed() }
}

/** Looks at a repaired sandbox. Throws unless it has full marks: otherwise no kill would mean anything. */
export const takeSubject = async (deps: ProofDeps, scenario: Scenario, seed: string): Promise<Subject> => {
  let subject: Subject | undefined
  const { outcome, detail } = await withSandbox(deps, scenario, { seed }, async (staged) => {
    const { instance, sandbox } = staged
    const solutions = await readSolutions(scenario)
    const reference = referenceOf(scenario, solutions)
    const seen = await takeInventory(deps.engine, sandbox, instance)
    const repairs = solutions.map((solution) => ({ name: solution.name, steps: commandsOf(solution, instance.params) }))
    const repair = commandsOf(reference, instance.params)
    subject = { instance, seen, workstation: scenario.containers[0] as string, repair, solutions: repairs }
    return gradeUntilDecided(deps, staged)
  })
  if (outcome !== 'full marks' || subject === undefined)
    throw new Error(`${scenario.id}: the reference solution alone was ${outcome} (${detail}): nothing can be measured`)
  return subject
}

/** Tries changes, in their order, until as many were judged as were wanted, or none is left. */
export const measure = async (
  deps: ProofDeps,
  scenario: Scenario,
  kinds: ReadonlyMap<string, ChangeKind>,
  { seed, count, only }: Draw,
  { jobs, isDeclared = () => false, report = () => undefined }: TrialOptions,
): Promise<Measured> => {
  const subject = await takeSubject(deps, scenario, seed)
  const candidates = candidatesOf(kinds, subject, seed)
  const waiting = orderOf(candidates, seed, only)
  const tried: TriedChange[] = []
  const declared: Change[] = []
  let running = 0
  const judged = () => tried.filter(({ outcome }) => outcome !== 'not applied').length
  const next = (): Change | undefined => {
    while (judged() + running < count) {
      const change = waiting.shift()
      if (change === undefined || !isDeclared(change)) return change
      declared.push(change)
    }
    return undefined
  }
  const worker = async () => {
    for (let change = next(); change !== undefined; change = next()) {
      running += 1
      report(undefined, judged(), change)
      const result = await tryChange(deps, scenario, seed, change).finally(() => {
        running -= 1
      })
      tried.push(result)
      report(result, judged(), change)
    }
  }
  await Promise.all(Array.from({ length: jobs }, worker))
  return { seed, candidates: candidates.length, tried, declared }
}
