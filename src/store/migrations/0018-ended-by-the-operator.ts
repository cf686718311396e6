// Who has ended a sandbox, where that was the operator, and what the operator says of it.

import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const column of ['termination_by', 'termination_note']) await db.schema.alterTable('sandbox').addColumn(column, 'text').execute()
}
