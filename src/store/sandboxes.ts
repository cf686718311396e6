// Sandboxes as rows: reserved before the engine is asked, kept after the end. The queue for a place is here too, because
// counting, inserting and handing on must be one step for all servers.

import type { Kysely, Selectable, Updateable } from 'kysely'
import type { SandboxStatus, TerminationReason } from '../contract/sandbox.ts'
import type { JobRow } from './jobs.ts'
import type { SandboxTable, Tables } from './tables.ts'

export type SandboxRow = Selectable<SandboxTable>

const live = ['starting', 'running', 'completed'] as const satisfies readonly SandboxStatus[]

/** How many live sandboxes there may be: in all, of anonymous callers together, and of the one who asks. */
export interface Room {
  readonly total: number
  readonly anonymous: number
  readonly own: number
  /** How many jobs may wait. */
  readonly queue: number
}

export type Reservation = 'reserved' | 'queued' | 'own_full' | 'full'

export type NewJob = Omit<JobRow, 'sandbox_id' | 'position' | 'cancelled_at'>

export const createSandboxStore = (db: Kysely<Tables>, lockInstallation: (transaction: Kysely<Tables>) => Promise<void>) => {
  const countLive = async (on: Kysely<Tables>, who: 'anyone' | 'anonymous' | Pick<SandboxRow, 'account_id' | 'address'> = 'anyone') => {
    let query = on
      .selectFrom('sandbox')
      .select((build) => build.fn.countAll<number | string>().as('count'))
      .where('status', 'in', live)
    if (who === 'anonymous') query = query.where('account_id', 'is', null)
    else if (who !== 'anyone' && who.account_id !== null) query = query.where('account_id', '=', who.account_id)
    else if (who !== 'anyone') query = query.where('account_id', 'is', null).where('address', '=', who.address)
    return Number((await query.executeTakeFirstOrThrow()).count)
  }

  const countQueued = async (on: Kysely<Tables>, accountId?: string | null) => {
    let query = on
      .selectFrom('job')
      .select((build) => build.fn.countAll<number | string>().as('count'))
      .where('sandbox_id', 'is', null)
      .where('cancelled_at', 'is', null)
    if (accountId !== undefined) query = query.where('account_id', '=', accountId)
    return Number((await query.executeTakeFirstOrThrow()).count)
  }

  const insertJob = async (on: Kysely<Tables>, job: NewJob, sandboxId: string | null) => {
    const last = await on.selectFrom('job').select('position').orderBy('position', 'desc').limit(1).executeTakeFirst()
    const row = { ...job, sandbox_id: sandboxId, position: (last?.position ?? 0) + 1, cancelled_at: null }
    await on.insertInto('job').values(row).execute()
  }

  const update = async (id: string, from: readonly SandboxStatus[], values: Updateable<SandboxTable>): Promise<boolean> => {
    const result = await db.updateTable('sandbox').set(values).where('id', '=', id).where('status', 'in', from).executeTakeFirst()
    return result.numUpdatedRows > 0n
  }

  return {
    /**
     * Inserts the row if there is room for it and nobody waits, with its job when `jobAtOnce`. When there is no room, the
     * job is queued by itself; without a job there is no waiting.
     */
    reserve: (row: SandboxRow, room: Room, job: NewJob | null = null, jobAtOnce = false): Promise<Reservation> =>
      db.transaction().execute(async (transaction) => {
        await lockInstallation(transaction)
        const waitingOwn = row.account_id === null ? 0 : await countQueued(transaction, row.account_id)
        if ((await countLive(transaction, row)) + waitingOwn >= room.own) return 'own_full'
        if (row.account_id === null && (await countLive(transaction, 'anonymous')) >= room.anonymous) return 'full'
        const waiting = await countQueued(transaction)
        if (waiting === 0 && (await countLive(transaction)) < room.total) {
          await transaction.insertInto('sandbox').values(row).execute()
          if (job !== null && jobAtOnce) await insertJob(transaction, job, row.id)
          return 'reserved'
        }
        if (job === null || waiting >= room.queue) return 'full'
        await insertJob(transaction, job, null)
        return 'queued'
      }),

    /** Gives a free place to the job that has waited longest; null when there is no place or no job. */
    takeQueued: (total: number, rowOf: (job: JobRow) => SandboxRow): Promise<{ job: JobRow; row: SandboxRow } | null> =>
      db.transaction().execute(async (transaction) => {
        await lockInstallation(transaction)
        if ((await countLive(transaction)) >= total) return null
        const job = await transaction
          .selectFrom('job')
          .selectAll()
          .where('sandbox_id', 'is', null)
          .where('cancelled_at', 'is', null)
          .orderBy('position')
          .limit(1)
          .executeTakeFirst()
        if (job === undefined) return null
        const row = rowOf(job)
        await transaction.insertInto('sandbox').values(row).execute()
        await transaction.updateTable('job').set({ sandbox_id: row.id }).where('id', '=', job.id).execute()
        return { job, row }
      }),

    countQueued: () => countQueued(db),

    find: async (id: string): Promise<SandboxRow | null> =>
      (await db.selectFrom('sandbox').selectAll().where('id', '=', id).executeTakeFirst()) ?? null,

    listByAccount: (accountId: string): Promise<SandboxRow[]> =>
      db
        .selectFrom('sandbox')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('status', 'in', live)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),

    listLive: (): Promise<SandboxRow[]> => db.selectFrom('sandbox').selectAll().where('status', 'in', live).orderBy('created_at').execute(),

    countLive: () => countLive(db),

    findByRequest: async (requestId: string): Promise<SandboxRow | null> =>
      (await db.selectFrom('sandbox').selectAll().where('request_id', '=', requestId).executeTakeFirst()) ?? null,

    listByBatch: (batchId: string): Promise<SandboxRow[]> => db.selectFrom('sandbox').selectAll().where('batch_id', '=', batchId).execute(),

    /** How long the last sandboxes that ran were there, newest first. */
    lifetimes: async (limit: number): Promise<{ created_at: string; ended_at: string }[]> => {
      const rows = await db
        .selectFrom('sandbox')
        .select(['created_at', 'ended_at'])
        .where('ended_at', 'is not', null)
        .where('baseline', 'is not', null)
        .orderBy('ended_at', 'desc')
        .limit(limit)
        .execute()
      return rows.map(({ created_at, ended_at }) => ({ created_at, ended_at: ended_at as string }))
    },

    /** Moves the end to a later time, up to the hard deadline. False when it has ended, or ends no earlier by itself. */
    extend: async (id: string, expiresAt: string): Promise<boolean> => {
      const result = await db
        .updateTable('sandbox')
        .set({ expires_at: expiresAt })
        .where('id', '=', id)
        .where('status', 'in', ['running', 'completed'])
        .where('expires_at', '<', expiresAt)
        .where('deadline', '>=', expiresAt)
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },

    /** Forgets which request made it, so that the request may be carried out anew. */
    forgetRequest: async (id: string): Promise<void> => {
      await db.updateTable('sandbox').set({ request_id: null }).where('id', '=', id).execute()
    },

    /** Removes a sandbox that was ended, as if it had never been. */
    erase: (id: string): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        const row = await transaction.selectFrom('sandbox').select('status').where('id', '=', id).executeTakeFirst()
        if (row?.status !== 'terminated') return
        await transaction.deleteFrom('evaluation').where('sandbox_id', '=', id).execute()
        await transaction.deleteFrom('job').where('sandbox_id', '=', id).execute()
        await transaction.deleteFrom('sandbox').where('id', '=', id).execute()
      }),

    /** False when the sandbox was ended meanwhile. */
    markRunning: (id: string, baseline: string): Promise<boolean> => update(id, ['starting'], { status: 'running', baseline }),

    /** A passed evaluation; the sandbox lives on until then. */
    markCompleted: (id: string, expiresAt: string): Promise<boolean> =>
      update(id, ['running'], { status: 'completed', expires_at: expiresAt }),

    /** Gives a sandbox that belongs to nobody to an account. False when it has an owner. */
    attribute: async (id: string, accountId: string): Promise<boolean> => {
      const result = await db
        .updateTable('sandbox')
        .set({ account_id: accountId })
        .where('id', '=', id)
        .where('account_id', 'is', null)
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },

    /** Counts one more hint or grading error; the new number. */
    increment: async (id: string, column: 'hints_used' | 'grading_errors'): Promise<number> => {
      const row = await db
        .updateTable('sandbox')
        .set((build) => ({ [column]: build(column, '+', 1) }))
        .where('id', '=', id)
        .returning(column)
        .executeTakeFirstOrThrow()
      return (row as Record<string, number>)[column] as number
    },

    /** False when it had ended before. */
    markTerminated: (id: string, reason: TerminationReason, endedAt: string): Promise<boolean> =>
      update(id, live, { status: 'terminated', termination_reason: reason, ended_at: endedAt }),
  }
}

export type SandboxStore = ReturnType<typeof createSandboxStore>
