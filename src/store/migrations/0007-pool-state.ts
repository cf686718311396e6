// How far a sandbox of the warm pool is; null for one that belongs to somebody.

import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.alterTable('sandbox').renameColumn('warmth', 'pool_state').execute()
}
