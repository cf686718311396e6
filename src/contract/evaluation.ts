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

/** The longest that an evaluation takes. Its wait for the load tests of others is not counted. */
export const evaluationSeconds = 45

export const Checkpoint = z.object({
  name: z.string().describe('One of the seven steps.'),
  passed: z.boolean().describe('Whether the step holds.'),
  output: z.string().describe('What was observed; never what to do.'),
})
export type Checkpoint = z.infer<typeof Checkpoint>

const assisted = z.boolean().describe('Whether you had given up on this course before, and could read its debrief.')
const debrief = z
  .string()
  .optional()
  .describe('Cause, repair and lesson, as Markdown: after a pass, and after you gave up. Never through MCP.')

export const EvaluationResult = z
  .object({
    passed: z.boolean().describe('True when all seven steps hold.'),
    score: z.int().describe('0 to 100: the weights of the steps that passed.'),
    checkpoints: z.array(Checkpoint).length(7).describe('The seven steps, in their order.'),
    evaluation_id: z.string().describe('`id` of its record in the list of evaluations.'),
    evaluations_left: z.int().describe('How many more this sandbox may have.'),
    evaluations_used: z.int().describe('In this sandbox, this one included.'),
    hints_used: z.int().describe('In this sandbox. They do not change the score.'),
    assisted,
    expires_at: z.iso.datetime().describe('When the sandbox ends. A pass brings it forward to the end of the grace period.'),
  })
  .meta({ id: 'EvaluationResult' })
export type EvaluationResult = z.infer<typeof EvaluationResult>

/** What REST answers; MCP answers the result alone. */
export const Evaluation = EvaluationResult.extend({ debrief }).meta({ id: 'Evaluation' })
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
    assisted,
    started_at: z.iso.datetime().describe('When it began.'),
    elapsed_seconds: z
      .int()
      .nullable()
      .describe('From the start of the sandbox to this evaluation. Null where that is not known any more.'),
    duration_ms: z.int().describe('How long it took, in milliseconds.'),
  })
  .meta({ id: 'EvaluationRecord' })
export type EvaluationRecord = z.infer<typeof EvaluationRecord>

export const EvaluationDetail = EvaluationRecord.extend({ debrief }).meta({ id: 'EvaluationDetail' })
export type EvaluationDetail = z.infer<typeof EvaluationDetail>

export const EvaluationParams = z.strictObject({ evaluationId: lookupId.describe('`evaluation_id` of the evaluation.') })

export const GivenUp = z
  .object({
    sandbox_id: z.string().describe('`id` of the sandbox.'),
    course_id: z.string().describe('`id` of the course.'),
    given_up_at: z.iso.datetime().nullable().describe('Null when it had passed before: then nothing was given up.'),
    debrief: z.string().describe('Cause, repair and lesson, as Markdown.'),
  })
  .meta({ id: 'GivenUp' })
export type GivenUp = z.infer<typeof GivenUp>

export const EvaluationQuery = z.strictObject({ ...pageQuery, course_id: lookupId.optional().describe('Only evaluations of this course.') })
export type EvaluationQuery = z.infer<typeof EvaluationQuery>

export const EvaluationList = pageOf(EvaluationRecord).meta({ id: 'EvaluationList' })
export type EvaluationList = z.infer<typeof EvaluationList>

export const Hint = z
  .object({
    level: z.int().describe('1 is the most general.'),
    text: z.string().describe('The hint.'),
    hints_left: z.int().describe('How many were not given yet: some are for a certain state of the sandbox only.'),
    hints_left_unconditional: z
      .int()
      .optional()
      .describe('How many of them can be had whatever the state of the sandbox is; the others may be refused with `no_hint_fits`.'),
  })
  .meta({ id: 'Hint' })
export type Hint = z.infer<typeof Hint>
