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
  name: z.string(),
  passed: z.boolean(),
  output: z.string().describe('What was observed; never what to do.'),
})
export type Checkpoint = z.infer<typeof Checkpoint>

export const Evaluation = z
  .object({
    passed: z.boolean(),
    score: z.int().describe('0 to 100: the weights of the steps that passed.'),
    checkpoints: z.array(Checkpoint).length(7),
    evaluation_id: z.string(),
    evaluations_left: z.int(),
    evaluations_used: z.int().describe('In this sandbox, this one included.'),
    hints_used: z.int().describe('In this sandbox. They do not change the score.'),
    expires_at: z.iso.datetime().describe('When the sandbox ends. A pass brings it forward to the end of the grace period.'),
  })
  .meta({ id: 'Evaluation' })
export type Evaluation = z.infer<typeof Evaluation>

export const EvaluationRecord = z
  .object({
    id: z.string(),
    sandbox_id: z.string(),
    course_id: z.string(),
    passed: z.boolean(),
    score: z.int(),
    checkpoints: z.array(Checkpoint),
    hints_used: z.int(),
    started_at: z.iso.datetime(),
    duration_ms: z.int(),
  })
  .meta({ id: 'EvaluationRecord' })
export type EvaluationRecord = z.infer<typeof EvaluationRecord>

export const EvaluationQuery = z.strictObject({ ...pageQuery, course_id: lookupId.optional() })
export type EvaluationQuery = z.infer<typeof EvaluationQuery>

export const EvaluationList = pageOf(EvaluationRecord).meta({ id: 'EvaluationList' })
export type EvaluationList = z.infer<typeof EvaluationList>

export const Hint = z.object({ level: z.int(), text: z.string(), hints_left: z.int() }).meta({ id: 'Hint' })
export type Hint = z.infer<typeof Hint>
