// Jobs (asynchronous starts), on the wire.

import { z } from 'zod'
import { basePath } from './api-version.ts'
import { lookupId } from './names.ts'
import { SandboxSession } from './sandbox.ts'

export const JobStatus = z.enum(['queued', 'in_progress', 'succeeded', 'failed', 'cancelled'])
export type JobStatus = z.infer<typeof JobStatus>

export const Job = z
  .object({
    job_id: z.string(),
    kind: z.literal('sandbox_start'),
    status: JobStatus,
    status_url: z
      .string()
      .describe('The path to poll.')
      .meta({ examples: [`${basePath}/jobs/k3v9x2m4p7q1`] }),
    poll_after_seconds: z.int(),
    queue_position: z.int().nullable().describe('1 is next; null when the job is not queued.'),
    estimated_wait_seconds: z.int().nullable().describe('Null when the job is not queued, and until enough is known to tell.'),
    session: SandboxSession.optional().describe('The sandbox, once the job has succeeded.'),
    error: z.object({ code: z.string(), message: z.string(), resolution_hint: z.string().optional() }).optional(),
  })
  .meta({ id: 'Job' })
export type Job = z.infer<typeof Job>

export const JobParams = z.strictObject({
  jobId: lookupId.describe('`job_id` of the start.'),
})
