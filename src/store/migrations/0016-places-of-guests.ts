// Which of the places for guests somebody has; and an index by which those who may be in are found among all that were.

import { type Kysely, sql } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.alterTable('lab_access').addColumn('place', 'integer').execute()
  // An owner has none.
  await sql`update lab_access set place = 0 where invitation_id is not null`.execute(db)
  await db.schema.dropIndex('lab_access_sandbox_id').execute()
  await db.schema.createIndex('lab_access_valid').on('lab_access').columns(['sandbox_id', 'revoked_at']).execute()
}
