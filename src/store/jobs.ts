// Queries on jobs: find, count those ahead, cancel, and attach one to a start that takes long. slots.ts queues and takes them,
// together with slots.

import type { Kysely, Selectable } from 'kysely'
import type { JobTable, Tables } from './tables.ts'

export type JobRow = Selectable<JobTable>

/** The first job of the queue. Until the transaction ends, nobody cancels or deletes it. */
export const lockFirstQueued = async (transaction: Kysely<Tables>): Promise<JobRow | null> => {
  for (;;) {
    const job = await transaction
      .selectFrom('job')
      .selectAll()
      .where('sandbox_id', 'is', null)
      .where('cancelled_at', 'is', null)
      .orderBy('position')
      .limit(1)
      .executeTakeFirst()
    if (job === undefined) return null
    const lock = transaction.updateTable('job').set({ position: job.position }).where('id', '=', job.id).where('cancelled_at', 'is', null)
    const { numUpdatedRows } = await lock.executeTakeFirst()
    if (numUpdatedRows > 0n) return job
    // It was cancelled or deleted between the two statements: look for the next one.
  }
}

export const createJobStore = (db: Kysely<Tables>) => ({
  find: async (id: string): Promise<JobRow | null> =>
    (await db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirst()) ?? null,

  findByRequest: async (requestId: string): Promise<JobRow | null> =>
    (await db.selectFrom('job').selectAll().where('request_id', '=', requestId).executeTakeFirst()) ?? null,

  listQueuedByAccount: (accountId: string): Promise<JobRow[]> =>
    db
      .selectFrom('job')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('sandbox_id', 'is', null)
      .where('cancelled_at', 'is', null)
      .orderBy('position')
      .execute(),

  /** How many queued jobs are before this position. */
  countAhead: async (position: number): Promise<number> => {
    const row = await db
      .selectFrom('job')
      .select((build) => build.fn.countAll<number | string>().as('count'))
      .where('sandbox_id', 'is', null)
      .where('cancelled_at', 'is', null)
      .where('position', '<', position)
      .executeTakeFirstOrThrow()
    return Number(row.count)
  },

  /** A job for a sandbox that is starting already. */
  attach: async (job: Omit<JobRow, 'position' | 'cancelled_at'>): Promise<JobRow> =>
    db
      .insertInto('job')
      .values((build) => ({
        ...job,
        position: build
          .selectFrom('job as other')
          .select((inner) => inner(inner.fn.coalesce(inner.fn.max('other.position'), inner.lit(0)), '+', 1).as('next')),
        cancelled_at: null,
      }))
      .returningAll()
      .executeTakeFirstOrThrow(),

  /** Cancels a queued job. False when it is no longer queued. */
  cancel: async (id: string, now: string): Promise<boolean> => {
    const result = await db
      .updateTable('job')
      .set({ cancelled_at: now })
      .where('id', '=', id)
      .where('sandbox_id', 'is', null)
      .where('cancelled_at', 'is', null)
      .executeTakeFirst()
    return result.numUpdatedRows > 0n
  },

  /** Deletes the queued jobs of a batch. */
  eraseQueuedOfBatch: async (batchId: string): Promise<void> => {
    await db.deleteFrom('job').where('batch_id', '=', batchId).where('sandbox_id', 'is', null).execute()
  },
})

export type JobStore = ReturnType<typeof createJobStore>
