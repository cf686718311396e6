// Which hints were given.

import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .alterTable('sandbox')
    .addColumn('hints_given', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute()
}
