// Queries on what starts of sandboxes have cost. A row is written with the reservation of the slot, and deleted once it is decided.

import type { Kysely } from 'kysely'
import type { SandboxStatus } from '../contract/sandbox.ts'
import { createId } from '../ids.ts'
import { giveBackCredits, spendCredits } from './credits.ts'
import type { SandboxRow } from './sandboxes.ts'
import type { Tables } from './tables.ts'

/** Rolls a reservation back that cannot be paid. */
export class NoCredit extends Error {}

/** Within a reservation, under the lock on the installation: nothing else spends. Throws NoCredit. */
export const chargeStart = async (
  transaction: Kysely<Tables>,
  { account_id, created_at }: Pick<SandboxRow, 'account_id' | 'created_at'>,
  start: { readonly sandbox_id: string } | { readonly job_id: string },
): Promise<void> => {
  const what = `start ${createId()}`
  const spending = { accountId: account_id ?? '', amount: 1, what, now: created_at }
  if (!(await spendCredits(transaction, async () => undefined, spending))) throw new NoCredit()
  await transaction
    .insertInto('start_charge')
    .values({ what, sandbox_id: null, job_id: null, ...start })
    .execute()
}

/** How a start is doing that has cost a credit. */
export interface ChargeState {
  /** The cause of its entry in the ledger. */
  readonly what: string
  /** Whether it was queued as a job, and whether it still has no sandbox. */
  readonly hasJob: boolean
  readonly isQueued: boolean
  /** Null without a job, and when it was deleted. */
  readonly job: { readonly cancelled_at: string | null } | null
  /** Null when there is none, or it was deleted. */
  readonly sandbox: { readonly status: SandboxStatus; readonly baseline: string | null; readonly isInOpenBatch: boolean } | null
}

export const createStartChargeStore = (db: Kysely<Tables>) => ({
  list: async (): Promise<ChargeState[]> => {
    const rows = await db
      .selectFrom('start_charge')
      .leftJoin('job', 'job.id', 'start_charge.job_id')
      .leftJoin('sandbox', (join) =>
        join.on((build) => build('sandbox.id', '=', build.fn.coalesce('start_charge.sandbox_id', 'job.sandbox_id'))),
      )
      .select(['start_charge.what', 'start_charge.job_id', 'start_charge.sandbox_id'])
      .select(['job.id as job', 'job.cancelled_at', 'job.sandbox_id as job_sandbox_id'])
      .leftJoin('batch', (join) => join.onRef('batch.id', '=', 'sandbox.batch_id').on('batch.body', 'is', null))
      .select(['sandbox.status', 'sandbox.baseline', 'batch.id as open_batch_id'])
      .execute()
    return rows.map(({ what, job_id, sandbox_id, job, cancelled_at, job_sandbox_id, status, baseline, open_batch_id }) => ({
      what,
      hasJob: job_id !== null,
      isQueued: sandbox_id === null && job_sandbox_id === null,
      job: job === null ? null : { cancelled_at },
      sandbox: status === null ? null : { status, baseline, isInOpenBatch: open_batch_id !== null },
    }))
  },

  /** Decides it, once. */
  close: (what: string, { givesBack, now }: { readonly givesBack: boolean; readonly now: string }): Promise<void> =>
    db.transaction().execute(async (transaction) => {
      const { numDeletedRows } = await transaction.deleteFrom('start_charge').where('what', '=', what).executeTakeFirst()
      if (numDeletedRows > 0n && givesBack) await giveBackCredits(transaction, what, now)
    }),
})

export type StartChargeStore = ReturnType<typeof createStartChargeStore>
