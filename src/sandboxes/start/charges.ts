// Credits that starts have cost: given back when a start was cancelled, failed, or was undone with its batch, whoever notices it, also
// after a crash. What a start has cost is noted with its reservation (store/slots.ts) until its sandbox has ended.

import type { Clock } from '../../clock.ts'
import { coalesce } from '../../coalesce.ts'
import { messageOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { ChargeState, StartChargeStore } from '../../store/start-charges.ts'

export interface StartChargesDeps {
  readonly store: StartChargeStore
  readonly clock: Clock
  readonly log: Log
}

/** Whether a charge stays noted, stands, or is given back. A sandbox that never ran has no baseline. */
export const verdictOn = ({ isQueued, hasJob, job, sandbox }: ChargeState): 'wait' | 'stands' | 'give_back' => {
  if (hasJob && (job === null || job.cancelled_at !== null)) return 'give_back'
  if (isQueued) return 'wait'
  if (sandbox === null) return 'give_back'
  if (sandbox.status !== 'terminated' || sandbox.isInOpenBatch) return 'wait' // the batch may be undone: then it costs nothing
  return sandbox.baseline === null ? 'give_back' : 'stands'
}

export const createStartCharges = ({ store, clock, log }: StartChargesDeps) => {
  const settleAll = async (): Promise<void> => {
    for (const state of await store.list()) {
      const verdict = verdictOn(state)
      if (verdict !== 'wait') await store.close(state.what, { givesBack: verdict === 'give_back', now: clock.now().toISOString() })
    }
  }

  return {
    /** Gives back what is due. A failure is tried again with the next pass of the reaper. */
    settle: coalesce(() =>
      settleAll().catch((error: unknown) => log.error({ reason: messageOf(error) }, 'credits of starts could not be given back')),
    ),
  }
}

export type StartCharges = ReturnType<typeof createStartCharges>
