// Sandboxes as rows: reserved before the engine is asked, kept after the end.

import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { SandboxStatus, TerminationReason } from '../contract/sandbox.ts'
import type { SandboxTable, Tables } from './tables.ts'

export type SandboxRow = Selectable<SandboxTable>

const live = ['starting', 'running', 'completed'] as const satisfies readonly SandboxStatus[]

export interface Room {
  readonly total: number
  readonly perAccount: number
}

export const createSandboxStore = (db: Kysely<Tables>, lockInstallation: (transaction: Kysely<Tables>) => Promise<void>) => {
  const countLive = async (on: Kysely<Tables>, accountId?: string): Promise<number> => {
    let query = on
      .selectFrom('sandbox')
      .select((build) => build.fn.countAll<number | string>().as('count'))
      .where('status', 'in', live)
    if (accountId !== undefined) query = query.where('account_id', '=', accountId)
    return Number((await query.executeTakeFirstOrThrow()).count)
  }

  const update = async (id: string, from: readonly SandboxStatus[], values: Updateable<SandboxTable>): Promise<boolean> => {
    const result = await db.updateTable('sandbox').set(values).where('id', '=', id).where('status', 'in', from).executeTakeFirst()
    return result.numUpdatedRows > 0n
  }

  return {
    /** Inserts the row if there is room for it; counting and inserting are one step for all servers. */
    reserve: (row: Insertable<SandboxTable>, room: Room): Promise<'reserved' | 'account_full' | 'full'> =>
      db.transaction().execute(async (transaction) => {
        await lockInstallation(transaction)
        if ((await countLive(transaction, row.account_id)) >= room.perAccount) return 'account_full'
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
    markRunning: (id: string): Promise<boolean> => update(id, ['starting'], { status: 'running' }),

    /** False when it had ended before. */
    markTerminated: (id: string, reason: TerminationReason, endedAt: string): Promise<boolean> =>
      update(id, live, { status: 'terminated', termination_reason: reason, ended_at: endedAt }),
  }
}

export type SandboxStore = ReturnType<typeof createSandboxStore>
