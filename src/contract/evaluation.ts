// Evaluations, their seven steps and the weight of each, and hints, on the wire.

import { z } from 'zod'
import { lookupId } from './names.ts'
import { pageOf, pageQuery } from './page.ts'

/** The seven steps, the same for every scenario, in this order. The weights add up to 100. */
export const stepWeights = {
  topology_intact: 10,
  service_recovered: 20,
  root_cause_removed: 20,
  data_preserved: 15,
  safeguards_kept: 15,
  survives_restart: 10,
  stable_under_load: 10,
} as const
export type StepName = keyof typeof stepWeights
export const stepNames = Object.keys(stepWeights) as StepName[]

export const Checkpoint = z.object({
  name: z.string().describe('One of the seven steps.'),
  passed: z.boolean().describe('Whether the step holds.'),
  output: z.string().describe('What was observed; never what to do.'),
})
export type Checkpoint = z.infer<typeof Checkpoint>

export const Evaluation = z
  .object({
    passed: z.boolean().describe('True when all seven steps hold.'),
    score: z.int().describe('0 to 100: the weights of the steps that passed.'),
    checkpoints: z.array(Checkpoint).length(7).describe('The seven steps, in their order.'),
    evaluation_id: z.string().describe('`id` of its record in the list of evaluations.'),
    evaluations_left: z.int().describe('How many more this sandbox may have.'),
    evaluations_used: z.int().describe('In this sandbox, this one included.'),
    hints_used: z.int().describe('In this sandbox. They do not change the score.'),
    expires_at: z.iso.datetime().describe('When the sandbox ends. A pass brings it forward to the end of the grace period.'),
  })
  .meta({ id: 'Evaluation' })
export type Evaluation = z.infer<typeof Evaluation>

export const EvaluationRecord = z
  .object({
    id: z.string().describe('`evaluation_id` of the evaluation.'),
    sandbox_id: z.string().describe('`id` of the sandbox.'),
    course_id: z.string().describe('`id` of the course.'),
    passed: z.boolean().describe('True when all seven steps held.'),
    score: z.int().describe('0 to 100: the weights of the steps that passed.'),
    checkpoints: z.array(Checkpoint).describe('The seven steps, in their order.'),
    hints_used: z.int().describe('How many hints had been given.'),
    started_at: z.iso.datetime().describe('When it began.'),
    duration_ms: z.int().describe('How long it took, in milliseconds.'),
  })
  .meta({ id: 'EvaluationRecord' })
export type EvaluationRecord = z.infer<typeof EvaluationRecord>

export const EvaluationQuery = z.strictObject({ ...pageQuery, course_id: lookupId.optional().describe('Only evaluations of this course.') })
export type EvaluationQuery = z.infer<typeof EvaluationQuery>

export const EvaluationList = pageOf(EvaluationRecord).meta({ id: 'EvaluationList' })
export type EvaluationList = z.infer<typeof EvaluationList>

export const Hint = z
  .object({
    level: z.int().describe('1 is the most general.'),
    text: z.string().describe('The hint.'),
    hints_left: z.int().describe('How many more there are.'),
  })
  .meta({ id: 'Hint' })
export type Hint = z.infer<typeof Hint>
