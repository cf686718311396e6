// Queries on atomic batches. A batch without a response is open.

import type { Kysely, Selectable } from 'kysely'
import type { BatchTable, Tables } from './tables.ts'

export type BatchRow = Selectable<BatchTable>

export const createBatchStore = (db: Kysely<Tables>) => ({
  open: async (row: BatchRow): Promise<void> => {
    await db.insertInto('batch').values(row).execute()
  },

  isOpen: async (id: string): Promise<boolean> =>
    (await db.selectFrom('batch').select('id').where('id', '=', id).where('body', 'is', null).executeTakeFirst()) !== undefined,

  commit: async (id: string, body: string): Promise<void> => {
    await db.updateTable('batch').set({ body }).where('id', '=', id).execute()
  },

  remove: async (id: string): Promise<void> => {
    await db.deleteFrom('batch').where('id', '=', id).execute()
  },

  findByRequest: async (requestId: string): Promise<BatchRow | null> =>
    (await db.selectFrom('batch').selectAll().where('request_id', '=', requestId).executeTakeFirst()) ?? null,

  /** Batches that an earlier process of this server left open. */
  listAbandoned: (node: string, bootId: string): Promise<BatchRow[]> =>
    db.selectFrom('batch').selectAll().where('node', '=', node).where('boot_id', '!=', bootId).where('body', 'is', null).execute(),

  purge: async (before: string): Promise<void> => {
    await db.deleteFrom('batch').where('created_at', '<', before).where('body', 'is not', null).execute()
  },
})

export type BatchStore = ReturnType<typeof createBatchStore>
