// Queries on sandboxes. Rows are inserted before the engine is called (slots.ts), and kept after the sandbox has ended.

import type { Kysely, Selectable, Updateable } from 'kysely'
import type { SandboxStatus, TerminationReason } from '../contract/sandbox.ts'
import { readIndexes, readNames } from './json-columns.ts'
import { live, type SandboxTable, type Tables } from './tables.ts'

export type SandboxRow = Selectable<SandboxTable>

/** Given where neither its owner nor a rule has ended it. */
export type EndedBy = Partial<Pick<SandboxRow, 'termination_by' | 'termination_note'>>

export const createSandboxStore = (db: Kysely<Tables>) => {
  const update = async (id: string, from: readonly SandboxStatus[], values: Updateable<SandboxTable>): Promise<boolean> => {
    const result = await db.updateTable('sandbox').set(values).where('id', '=', id).where('status', 'in', from).executeTakeFirst()
    return result.numUpdatedRows > 0n
  }

  return {
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

    findByRequest: async (requestId: string): Promise<SandboxRow | null> =>
      (await db.selectFrom('sandbox').selectAll().where('request_id', '=', requestId).executeTakeFirst()) ?? null,

    listByBatch: (batchId: string): Promise<SandboxRow[]> => db.selectFrom('sandbox').selectAll().where('batch_id', '=', batchId).execute(),

    /** Start and end of the last sandboxes, newest first. */
    lifetimes: async (limit: number): Promise<{ created_at: string; ended_at: string }[]> => {
      const rows = await db
        .selectFrom('sandbox')
        .select(['created_at', 'ended_at'])
        .where('ended_at', 'is not', null)
        .where('baseline', 'is not', null)
        .where('pool_state', 'is', null)
        .orderBy('ended_at', 'desc')
        .limit(limit)
        .execute()
      return rows.map(({ created_at, ended_at }) => ({ created_at, ended_at: ended_at as string }))
    },

    /** Moves the expiry, up to the hard deadline. False when the sandbox has ended, or would not expire later. */
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

    /** Removes the link to its request, so that the request may be executed again. */
    forgetRequest: async (id: string): Promise<void> => {
      await db.updateTable('sandbox').set({ request_id: null }).where('id', '=', id).execute()
    },

    /** Deletes the row of an ended sandbox. */
    erase: (id: string): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        const row = await transaction.selectFrom('sandbox').select('status').where('id', '=', id).executeTakeFirst()
        if (row?.status !== 'terminated') return
        await transaction.deleteFrom('evaluation').where('sandbox_id', '=', id).execute()
        await transaction.deleteFrom('job').where('sandbox_id', '=', id).execute()
        await transaction.deleteFrom('share').where('sandbox_id', '=', id).execute()
        await transaction.deleteFrom('sandbox').where('id', '=', id).execute()
      }),

    /** False when the sandbox was ended meanwhile. */
    markRunning: (id: string, baseline: string): Promise<boolean> => update(id, ['starting'], { status: 'running', baseline }),

    /** For a claimed sandbox that has to be built again. False when it was ended meanwhile. */
    markStarting: (id: string): Promise<boolean> => update(id, ['starting', 'running'], { status: 'starting', baseline: null }),

    /** After a passed evaluation; the sandbox runs until `expiresAt`. */
    markCompleted: (id: string, expiresAt: string): Promise<boolean> =>
      update(id, ['running'], { status: 'completed', expires_at: expiresAt }),

    countGradingError: async (id: string): Promise<void> => {
      await db
        .updateTable('sandbox')
        .set((build) => ({ grading_errors: build('grading_errors', '+', 1) }))
        .where('id', '=', id)
        .execute()
    },

    /** Records a hint. False when another hint was given since the row was read. */
    giveHint: async (row: Pick<SandboxRow, 'id' | 'hints_given' | 'hints_given_at'>, index: number, now: string): Promise<boolean> => {
      const given = [...readIndexes(row.hints_given), index]
      const times = [...readNames(row.hints_given_at), now]
      const result = await db
        .updateTable('sandbox')
        .set({ hints_used: given.length, hints_given: JSON.stringify(given), hints_given_at: JSON.stringify(times) })
        .where('id', '=', row.id)
        .where('hints_given', '=', row.hints_given)
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },

    /** Whether an account has given up on a course, in whichever sandbox. */
    hasGivenUp: async (accountId: string, courseId: string): Promise<boolean> => {
      const row = await db
        .selectFrom('sandbox')
        .select('id')
        .where('account_id', '=', accountId)
        .where('course_id', '=', courseId)
        .where('given_up_at', 'is not', null)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    /** The first time counts. An ended sandbox can be given up too. */
    giveUp: async (id: string, now: string): Promise<void> => {
      await db.updateTable('sandbox').set({ given_up_at: now }).where('id', '=', id).where('given_up_at', 'is', null).execute()
    },

    /** Ends an expired sandbox. False when it was extended meanwhile, or had ended before. */
    expire: async (id: string, now: string): Promise<boolean> => {
      const values = { status: 'terminated', termination_reason: 'expired', ended_at: now } as const
      const result = await db
        .updateTable('sandbox')
        .set(values)
        .where('id', '=', id)
        .where('status', 'in', live)
        .where('expires_at', '<=', now)
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },

    /** False when it had ended before. */
    markTerminated: (id: string, reason: TerminationReason, endedAt: string, by: EndedBy = {}): Promise<boolean> =>
      update(id, live, { status: 'terminated', termination_reason: reason, ended_at: endedAt, ...by }),
  }
}

export type SandboxStore = ReturnType<typeof createSandboxStore>
