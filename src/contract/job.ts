// Jobs (asynchronous starts), on the wire.

import { z } from 'zod'
import { basePath } from './api-version.ts'
import { lookupId } from './names.ts'
import { SandboxSession } from './sandbox.ts'

export const JobStatus = z
  .enum(['queued', 'in_progress', 'succeeded', 'failed', 'cancelled'])
  .describe('The last three are final; the other two are polled.')
export type JobStatus = z.infer<typeof JobStatus>

export const Job = z
  .object({
    job_id: z.string().describe('By which it is read and cancelled.'),
    kind: z.literal('sandbox_start').describe('What it does.'),
    status: JobStatus,
    status_url: z
      .string()
      .describe('The path to poll.')
      .meta({ examples: [`${basePath}/jobs/k3v9x2m4p7q1`] }),
    poll_after_seconds: z.int().describe('How long to wait before the next poll.'),
    queue_position: z.int().nullable().describe('1 is next; null when the job is not queued.'),
    estimated_wait_seconds: z.int().nullable().describe('Null when the job is not queued, and until enough is known to tell.'),
    session: SandboxSession.optional().describe('The sandbox, once the job has succeeded.'),
    error: z
      .object({
        code: z.string().describe('One of the error codes.'),
        message: z.string().describe('What happened, for people.'),
        resolution_hint: z.string().optional().describe('What you can do about it.'),
      })
      .optional()
      .describe('Why the job has failed.'),
  })
  .meta({ id: 'Job' })
export type Job = z.infer<typeof Job>

export const JobParams = z.strictObject({
  jobId: lookupId.describe('`job_id` of the start.'),
})
