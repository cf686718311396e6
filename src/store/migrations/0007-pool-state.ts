// The state of a sandbox in the warm pool; null for one that has an owner.

import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.alterTable('sandbox').renameColumn('warmth', 'pool_state').execute()
}
