// What starts of sandboxes have cost as long as it is not decided, and the longest life that a queued start was promised. There are no
// foreign keys: a start that is deleted is one to give back for.

import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('start_charge')
    .addColumn('what', 'text', (column) => column.primaryKey())
    .addColumn('sandbox_id', 'text')
    .addColumn('job_id', 'text')
    .execute()
  await db.schema.alterTable('job').addColumn('longest_minutes', 'integer').execute()
}
