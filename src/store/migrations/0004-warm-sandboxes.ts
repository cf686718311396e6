// Warm sandboxes.

import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .alterTable('job')
    .addColumn('may_be_warm', 'integer', (column) => column.notNull().defaultTo(1))
    .execute()
  await db.schema.alterTable('sandbox').addColumn('warmth', 'text').execute()
  await db.schema.createIndex('sandbox_created').on('sandbox').column('created_at').execute()
}
