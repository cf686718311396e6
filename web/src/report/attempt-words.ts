// What a report says of an attempt, in words. Pure.

import type { EvaluationRecord } from '../../../src/contract/evaluation.ts'
import type { AttemptReport } from '../../../src/contract/report.ts'
import { timeToRepairMeaning } from '../../../src/contract/time-to-repair.ts'
import { exactDuration } from '../words.ts'

/** The last, and the best where that is another one. The first of equals counts. */
export const notableEvaluations = (evaluations: readonly EvaluationRecord[]) => {
  const last = evaluations.at(-1)
  const best = evaluations.reduce<EvaluationRecord | undefined>(
    (found, each) => (found === undefined || each.score > found.score ? each : found),
    undefined,
  )
  return { last, best: best !== undefined && last !== undefined && best.score > last.score ? best : undefined }
}

export const outcomeWords = ({ evaluations, passed_at, given_up_at, ended_at }: AttemptReport): string => {
  if (passed_at !== null) return 'Repaired: all seven steps held.'
  if (given_up_at !== null) return 'Not repaired: given up.'
  if (ended_at === null) return 'Not repaired yet: the lab goes on.'
  return evaluations.length === 0 ? 'Not repaired: it was never graded.' : 'Not repaired.'
}

/** How long it took, and from when to when that is. */
export const timeWords = ({ passed_at, ended_at, seconds_taken }: AttemptReport): string => {
  if (passed_at !== null) return seconds_taken === null ? 'not known' : `${exactDuration(seconds_taken)}, ${timeToRepairMeaning}`
  if (ended_at === null || seconds_taken === null) return 'not repaired yet'
  return `not repaired; the lab ended after ${exactDuration(seconds_taken)}`
}
