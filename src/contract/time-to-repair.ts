// The time to repair of an attempt, defined once: the report, the history and the page of the lab show the same.

import type { EvaluationRecord } from './evaluation.ts'

export const timeToRepairMeaning = 'from the start of the sandbox to the end of the first evaluation that passed'

type Graded = Pick<EvaluationRecord, 'passed' | 'started_at' | 'elapsed_seconds' | 'duration_ms'>

/** Of one sandbox, in any order: the evaluation that passed first. */
export const firstPassOf = <One extends Pick<Graded, 'passed' | 'started_at'>>(evaluations: readonly One[]): One | undefined =>
  evaluations
    .filter(({ passed }) => passed)
    .reduce<One | undefined>((first, each) => (first === undefined || each.started_at < first.started_at ? each : first), undefined)

/** Of the evaluations of one sandbox. Null where none passed, or where the start of the sandbox is not known any more. */
export const secondsToRepair = (evaluations: readonly Graded[]): number | null => {
  const pass = firstPassOf(evaluations)
  if (pass === undefined || pass.elapsed_seconds === null) return null
  return Math.round(pass.elapsed_seconds + pass.duration_ms / 1000)
}
