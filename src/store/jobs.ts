// Jobs as rows. They are queued and taken together with slots, in slots.ts; here they are found and cancelled.

import type { Kysely, Selectable } from 'kysely'
import type { JobTable, Tables } from './tables.ts'

export type JobRow = Selectable<JobTable>

export const createJobStore = (db: Kysely<Tables>) => ({
  find: async (id: string): Promise<JobRow | null> =>
    (await db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirst()) ?? null,

  findByRequest: async (requestId: string): Promise<JobRow | null> =>
    (await db.selectFrom('job').selectAll().where('request_id', '=', requestId).executeTakeFirst()) ?? null,

  /** How many wait before this one. */
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

  /** Withdraws a job that still waits. False when it does not. */
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

  /** Removes what still waits of a batch, as if it had never been. */
  eraseQueuedOfBatch: async (batchId: string): Promise<void> => {
    await db.deleteFrom('job').where('batch_id', '=', batchId).where('sandbox_id', 'is', null).execute()
  },
})

export type JobStore = ReturnType<typeof createJobStore>
