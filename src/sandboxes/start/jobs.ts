// Jobs: asynchronous starts as their owner sees them. A job has no state of its own; it is derived from its sandbox.

import type { Account } from '../../accounts/caller.ts'
import type { Clock } from '../../clock.ts'
import { basePath } from '../../contract/api-version.ts'
import type { Job, JobStatus } from '../../contract/job.ts'
import { LabError } from '../../errors.ts'
import type { JobRow, JobStore } from '../../store/jobs.ts'
import type { SandboxRow, SandboxStore } from '../../store/sandboxes.ts'
import type { SessionResponses } from '../session-response.ts'
import type { StartCharges } from './charges.ts'
import { estimateWaitSeconds } from './queue-wait-estimate.ts'

export interface JobsDeps {
  readonly store: SandboxStore
  readonly jobs: JobStore
  readonly sessionResponses: SessionResponses
  readonly clock: Clock
  readonly capacity: number
  readonly charges: StartCharges
}

const pollAfterSeconds: Record<JobStatus, number> = { queued: 5, in_progress: 1, succeeded: 0, failed: 0, cancelled: 0 }
/** How many past sandboxes an estimate is based on. */
export const endsRemembered = 50

const statusOf = (job: JobRow, sandbox: SandboxRow | null): JobStatus => {
  if (job.cancelled_at !== null) return 'cancelled'
  if (sandbox === null) return 'queued'
  if (sandbox.baseline !== null) return 'succeeded'
  if (sandbox.status === 'starting') return 'in_progress'
  return sandbox.termination_reason === 'stopped' ? 'cancelled' : 'failed'
}

export const createJobs = ({ store, jobs, sessionResponses, clock, capacity, charges }: JobsDeps) => {
  const describe = async (job: JobRow): Promise<Job> => {
    const sandbox = job.sandbox_id === null ? null : await store.find(job.sandbox_id)
    const status = statusOf(job, sandbox)
    const position = status === 'queued' ? (await jobs.countAhead(job.position)) + 1 : null
    return {
      job_id: job.id,
      kind: 'sandbox_start',
      status,
      status_url: `${basePath}/jobs/${job.id}`,
      poll_after_seconds: pollAfterSeconds[status],
      queue_position: position,
      estimated_wait_seconds: position === null ? null : estimateWaitSeconds(position, capacity, await store.lifetimes(endsRemembered)),
      ...(status === 'succeeded' && sandbox !== null ? { session: await sessionResponses.of(sandbox) } : {}),
      ...(status === 'failed'
        ? { error: { code: 'sandbox_start_failed', message: 'the sandbox could not be started', resolution_hint: 'start another one' } }
        : {}),
    }
  }

  const owned = async (caller: Account, id: string): Promise<JobRow> => {
    const job = await jobs.find(id)
    if (job === null || job.account_id !== caller.accountId) {
      throw new LabError('not_found', 'there is no such job', { hint: 'the response to a start has its status_url' })
    }
    return job
  }

  return {
    describe,

    /** As it is now; null when there is none any more. */
    find: async (id: string): Promise<Job | null> => {
      const job = await jobs.find(id)
      return job === null ? null : describe(job)
    },

    read: async (caller: Account, id: string): Promise<Job> => describe(await owned(caller, id)),

    /** Cancels a queued job. Idempotent. Throws job_not_cancellable once it is in progress. */
    cancel: async (caller: Account, id: string): Promise<Job> => {
      if (await jobs.cancel((await owned(caller, id)).id, clock.now().toISOString())) await charges.settle()
      const job = await describe(await owned(caller, id))
      if (job.status === 'cancelled') return job
      throw new LabError('job_not_cancellable', `the job is ${job.status}`, {
        hint: job.status === 'failed' ? 'there is nothing left to cancel' : 'stop the sandbox instead',
      })
    },
  }
}

export type Jobs = ReturnType<typeof createJobs>
