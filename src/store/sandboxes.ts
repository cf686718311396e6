// Sandboxes as rows: reserved before the engine is asked, kept after the end.

import type { Kysely, Selectable, Updateable } from 'kysely'
import type { SandboxStatus, TerminationReason } from '../contract/sandbox.ts'
import type { SandboxTable, Tables } from './tables.ts'

export type SandboxRow = Selectable<SandboxTable>

const live = ['starting', 'running', 'completed'] as const satisfies readonly SandboxStatus[]

/** How many live sandboxes there may be: in all, of anonymous callers together, and of the one who asks. */
export interface Room {
  readonly total: number
  readonly anonymous: number
  readonly own: number
}

export type Reservation = 'reserved' | 'own_full' | 'full'

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

  const update = async (id: string, from: readonly SandboxStatus[], values: Updateable<SandboxTable>): Promise<boolean> => {
    const result = await db.updateTable('sandbox').set(values).where('id', '=', id).where('status', 'in', from).executeTakeFirst()
    return result.numUpdatedRows > 0n
  }

  return {
    /** Inserts the row if there is room for it; counting and inserting are one step for all servers. */
    reserve: (row: SandboxRow, room: Room): Promise<Reservation> =>
      db.transaction().execute(async (transaction) => {
        await lockInstallation(transaction)
        if ((await countLive(transaction, row)) >= room.own) return 'own_full'
        if (row.account_id === null && (await countLive(transaction, 'anonymous')) >= room.anonymous) return 'full'
        if ((await countLive(transaction)) >= room.total) return 'full'
        await transaction.insertInto('sandbox').values(row).execute()
        return 'reserved'
      }),

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
