// What is left of an attempt, and the link that shows it to others, on the wire.

import { z } from 'zod'
import { Course } from './course.ts'
import { EvaluationRecord } from './evaluation.ts'
import { Recording, RecordingParams } from './recording.ts'
import { SandboxStatus, TerminationReason } from './sandbox.ts'
import { timeToRepairMeaning } from './time-to-repair.ts'

const ReportedCourse = Course.pick({ id: true, title: true, tier: true, domain: true, duration_minutes: true })
  .partial({ title: true, tier: true, domain: true, duration_minutes: true })
  .describe('The course; only its `id` when it is no longer in the catalog.')

const GivenHint = z.object({
  level: z.int().describe('1 is the most general.'),
  given_at: z.iso.datetime().nullable().describe('Null when it was given before times were kept.'),
})

export const AttemptReport = z
  .object({
    sandbox_id: z.string().describe('`id` of the sandbox.'),
    name: z.string().nullable().describe('What the owner is called.'),
    course: ReportedCourse,
    status: SandboxStatus,
    termination_reason: TerminationReason.optional(),
    started_at: z.iso.datetime().describe('When the sandbox was asked for.'),
    ended_at: z.iso.datetime().nullable().describe('Null while it goes on.'),
    passed_at: z.iso.datetime().nullable().describe('When the first evaluation passed; null without one.'),
    seconds_taken: z
      .int()
      .nullable()
      .describe(`With a pass, the time to repair: ${timeToRepairMeaning}. Else until the sandbox ended; null while it goes on.`),
    given_up_at: z.iso.datetime().nullable().describe('When its owner gave up and was shown the debrief.'),
    hints: z.array(GivenHint).describe('In the order in which they were given.'),
    evaluations: z.array(EvaluationRecord).describe('Oldest first.'),
    recordings: z.array(Recording).describe('Oldest first; kept for some days.'),
    debrief: z.string().optional().describe('For the owner, after a pass or after giving up. Never by a link.'),
  })
  .meta({ id: 'AttemptReport' })
export type AttemptReport = z.infer<typeof AttemptReport>

export const Share = z
  .object({
    sandbox_id: z.string().describe('`id` of the sandbox.'),
    shared_at: z.iso.datetime().nullable().describe('Since when there is a link; null without one.'),
  })
  .meta({ id: 'Share' })
export type Share = z.infer<typeof Share>

export const ShareCreated = Share.extend({
  share_url: z.url().describe('The link, in this response only. The secret is what follows `#`.'),
}).meta({ id: 'ShareCreated' })
export type ShareCreated = z.infer<typeof ShareCreated>

export const SharedRequest = z
  .strictObject({
    share_secret: z
      .string()
      .min(1)
      .max(128)
      .describe('What follows `#` in a link.')
      .meta({ examples: ['Zm9yIGV4YW1wbGUsIDMyIHJhbmRvbSBieXRlcyBoZXJl'] }),
  })
  .meta({ id: 'SharedRequest' })

export const SharedRecordingParams = RecordingParams.omit({ sandboxId: true })
