// Queries on links that show the report and the recordings of a sandbox to whoever has them. A sandbox has one at most.

import type { Kysely, Selectable } from 'kysely'
import type { ShareTable, Tables } from './tables.ts'

export type ShareRow = Selectable<ShareTable>

export const createShareStore = (db: Kysely<Tables>) => ({
  find: async (sandboxId: string): Promise<ShareRow | null> =>
    (await db.selectFrom('share').selectAll().where('sandbox_id', '=', sandboxId).executeTakeFirst()) ?? null,

  findByHash: async (hash: string): Promise<ShareRow | null> =>
    (await db.selectFrom('share').selectAll().where('hash', '=', hash).executeTakeFirst()) ?? null,

  /** In place of the one that the sandbox had. */
  put: async ({ sandbox_id, ...values }: ShareRow): Promise<void> => {
    await db
      .insertInto('share')
      .values({ sandbox_id, ...values })
      .onConflict((conflict) => conflict.column('sandbox_id').doUpdateSet(values))
      .execute()
  },

  remove: async (sandboxId: string): Promise<void> => {
    await db.deleteFrom('share').where('sandbox_id', '=', sandboxId).execute()
  },
})

export type ShareStore = ReturnType<typeof createShareStore>
