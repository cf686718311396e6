// What is being done in a lab, in a sentence. Pure.

import { stepNames } from '../../../src/contract/evaluation.ts'
import { counted, duration, sentence } from '../words.ts'
import { isOver, type LabState } from './lab-state.ts'

export interface Asked {
  /** A grading was asked for. */
  readonly isGrading: boolean
  /** Seconds that it has to wait. */
  readonly waits: number | null
}

const building = 'The machines are being built.'

export const endWords = ({ end }: LabState): string => sentence(end?.message ?? 'the sandbox has ended')

export const statusWords = (state: LabState, { isGrading, waits }: Asked): string => {
  const { sandbox, grading, evaluation, gradingFailure } = state
  if (sandbox === null || sandbox.status === 'starting') return building
  if (isOver(state)) return endWords(state)
  if (grading !== null) {
    const again = grading.attempt > 1 ? ', once more because the infrastructure failed' : ''
    return `Grading${again}: ${grading.steps.length} of ${stepNames.length} steps are decided.`
  }
  if (waits !== null) return `The next grading may begin in ${duration(waits)}, and does so by itself.`
  if (isGrading) return 'Grading begins.'
  const left = `${counted(sandbox.evaluations_left, 'evaluation')} left.`
  if (gradingFailure !== null) return `The last grading ended without a result: ${sentence(gradingFailure.message)} ${left}`
  if (evaluation === null) return `It runs, and it is broken. Not graded yet, ${left}`
  if (evaluation.passed) return `It is repaired: ${evaluation.score} of 100 points.`
  return `Not repaired yet: ${evaluation.score} of 100 points, ${left}`
}
