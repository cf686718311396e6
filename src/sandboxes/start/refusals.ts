// Why a start is refused although the caller may start the course: it has as many sandboxes as it may have, or every slot is taken.

import type { Caller } from '../../accounts/caller.ts'
import { LabError } from '../../errors.ts'
import type { JobStore } from '../../store/jobs.ts'
import type { SandboxStore } from '../../store/sandboxes.ts'

export const capacityExhausted = (): LabError =>
  new LabError('capacity_exhausted', 'every slot for a sandbox is taken', {
    hint: 'try again later; GET /labs/capacity shows the free slots',
    retryAfterSeconds: 30,
  })

export interface LimitReachedDeps {
  readonly store: Pick<SandboxStore, 'listByAccount'>
  readonly jobStore: Pick<JobStore, 'listQueuedByAccount'>
}

/**
 * Waiting does not help against it, so an account is told what it has. An anonymous caller is not: the others of its network may be
 * strangers.
 */
export const limitReached = async (caller: Caller, limit: number, { store, jobStore }: LimitReachedDeps): Promise<LabError> => {
  const atOnce = `${limit} ${limit === 1 ? 'sandbox' : 'sandboxes'} at once`
  if (caller.kind === 'anonymous') {
    return new LabError('sandbox_limit_reached', `a network may have ${atOnce} without an account`, {
      hint: 'stop yours with its session_id first, or use a personal access token',
      details: { limit },
    })
  }
  const [sandboxes, queued] = await Promise.all([store.listByAccount(caller.accountId), jobStore.listQueuedByAccount(caller.accountId)])
  return new LabError('sandbox_limit_reached', `you may have ${atOnce}, queued starts included`, {
    hint: 'stop one of details.sandboxes, or cancel one of details.jobs, first',
    details: {
      limit,
      sandboxes: sandboxes.map(({ id, course_id, status }) => ({ id, course_id, status })),
      jobs: queued.map(({ id, course_id }) => ({ job_id: id, course_id })),
    },
  })
}
