// Remembered requests as rows: reserved before the work, completed with the answer.

import type { Kysely, Selectable } from 'kysely'
import type { RequestTable, Tables } from './tables.ts'

export type RequestRow = Selectable<RequestTable>

export const createRequestStore = (db: Kysely<Tables>) => ({
  /** Null when the row was inserted; else the one that holds its scope already. */
  reserve: async (row: RequestRow): Promise<RequestRow | null> => {
    const inserted = await db
      .insertInto('request')
      .values(row)
      .onConflict((conflict) => conflict.column('scope').doNothing())
      .executeTakeFirst()
    if ((inserted.numInsertedOrUpdatedRows ?? 0n) > 0n) return null
    return (await db.selectFrom('request').selectAll().where('scope', '=', row.scope).executeTakeFirst()) ?? null
  },

  /** Takes over what a server that is gone left under way. False when somebody else was faster. */
  adopt: async (id: string, from: string, bootId: string): Promise<boolean> => {
    const result = await db
      .updateTable('request')
      .set({ boot_id: bootId })
      .where('id', '=', id)
      .where('boot_id', '=', from)
      .where('status', 'is', null)
      .executeTakeFirst()
    return result.numUpdatedRows > 0n
  },

  finish: async (id: string, status: number, body: string): Promise<void> => {
    await db.updateTable('request').set({ status, body }).where('id', '=', id).execute()
  },

  release: async (id: string): Promise<void> => {
    await db.deleteFrom('request').where('id', '=', id).execute()
  },

  purge: async (before: string): Promise<void> => {
    await db.deleteFrom('request').where('created_at', '<', before).execute()
  },
})

export type RequestStore = ReturnType<typeof createRequestStore>
