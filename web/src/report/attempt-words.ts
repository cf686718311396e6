// What a report says of an attempt, in words. Pure.

import type { EvaluationRecord } from '../../../src/contract/evaluation.ts'
import type { AttemptReport } from '../../../src/contract/report.ts'

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

/** Hours, minutes and seconds, as people write them down. */
export const exactDuration = (seconds: number): string => {
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ] as const
  const told = parts.filter(([number]) => number > 0).map(([number, unit]) => `${number} ${unit}`)
  return told.length === 0 ? '0 s' : told.join(' ')
}
