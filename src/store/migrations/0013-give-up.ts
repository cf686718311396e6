// Owners who gave up and read the debrief, and evaluations that came after it.

import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.alterTable('sandbox').addColumn('given_up_at', 'text').execute()
  await db.schema
    .alterTable('evaluation')
    .addColumn('assisted', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
}
