// How each of the seven steps stands, for the strip and for the list. Pure.

import { type Checkpoint, type StepName, stepNames } from '../../../src/contract/evaluation.ts'
import type { Grading, GradingStep } from '../../../src/contract/event.ts'
import type { LabState } from './lab-state.ts'

export type StepStanding = 'not_tried' | 'looked_at' | 'held' | 'failed' | 'not_attempted'

export interface StepView {
  readonly name: StepName
  readonly standing: StepStanding
  /** What was observed. */
  readonly output: string
}

export const shortNames: Readonly<Record<StepName, string>> = {
  topology_intact: 'Topology',
  service_recovered: 'Service',
  root_cause_removed: 'Cause',
  data_preserved: 'Data',
  safeguards_kept: 'Safeguards',
  survives_restart: 'Restart',
  stable_under_load: 'Load',
}

export const standingWords: Readonly<Record<StepStanding, string>> = {
  not_tried: 'not tried',
  looked_at: 'being looked at',
  held: 'held',
  failed: 'failed',
  not_attempted: 'not attempted',
}

const ofOutcome = { passed: 'held', failed: 'failed', not_attempted: 'not_attempted' } as const

/** The first five are observed at once, the others one after the other. */
const observedAtOnce = 5

const whileGrading = ({ steps }: Grading): StepView[] => {
  const decided = new Map<string, GradingStep>(steps.map((step) => [step.name, step]))
  const firstOpen = stepNames.findIndex((name) => !decided.has(name))
  return stepNames.map((name, index) => {
    const step = decided.get(name)
    if (step !== undefined) return { name, standing: ofOutcome[step.outcome], output: step.output }
    const isLookedAt = firstOpen < observedAtOnce ? index < observedAtOnce : index === firstOpen
    return { name, standing: isLookedAt ? 'looked_at' : 'not_tried', output: '' }
  })
}

/** An evaluation tells what was not attempted by its output alone. */
const ofCheckpoint = ({ passed, output }: Checkpoint): StepStanding => {
  if (passed) return 'held'
  return output === 'not attempted' ? 'not_attempted' : 'failed'
}

export const stepViews = ({ grading, evaluation }: Pick<LabState, 'grading' | 'evaluation'>): StepView[] => {
  if (grading !== null) return whileGrading(grading)
  return stepNames.map((name) => {
    const checkpoint = evaluation?.checkpoints.find((each) => each.name === name)
    return checkpoint === undefined
      ? { name, standing: 'not_tried', output: '' }
      : { name, standing: ofCheckpoint(checkpoint), output: checkpoint.output }
  })
}

/** One line of it, for the strip. */
export const reasonOf = ({ standing, output }: StepView): string => (standing === 'failed' ? (output.split('\n', 1)[0] ?? '') : '')
