// Restores a stored response for a replay: session ids and tickets are computed again, and sandboxes and jobs are told as they are now. All else is
// as it was answered.

import { fromStored, type PresentState, type StoredResponse } from '../accounts/stored-response.ts'
import { Job } from '../contract/job.ts'
import type { SandboxStore } from '../store/sandboxes.ts'
import type { Access } from './access.ts'
import type { SessionResponses } from './session-response.ts'
import type { Jobs } from './start/jobs.ts'

export interface RestoredResponsesDeps {
  readonly store: SandboxStore
  readonly access: Access
  readonly jobs: Jobs
  readonly sessionResponses: Pick<SessionResponses, 'terminalUrlOf'>
}

const JobAnswer = Job.pick({ job_id: true })

export const createRestoredResponses = ({ store, access, jobs, sessionResponses }: RestoredResponsesDeps) => {
  const stateOf = async (id: string): Promise<[string, PresentState][]> => {
    const row = await store.find(id)
    if (row === null) return []
    const { status, termination_reason } = row
    return [[id, { status, ...(termination_reason === null ? {} : { termination_reason }), ...sessionResponses.terminalUrlOf(row) }]]
  }

  return {
    restore: async (stored: StoredResponse): Promise<unknown> => {
      const states = new Map((await Promise.all(stored.sandboxes.map(stateOf))).flat())
      const body = fromStored(stored, access.sessionIdOf, states)
      const job = JobAnswer.safeParse(body)
      return job.success ? ((await jobs.find(job.data.job_id)) ?? body) : body
    },
  }
}

export type RestoredResponses = ReturnType<typeof createRestoredResponses>
