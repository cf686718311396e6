// Evaluations.

import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('evaluation')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('sandbox_id', 'text', (column) => column.notNull().references('sandbox.id'))
    .addColumn('account_id', 'text', (column) => column.references('account.id'))
    .addColumn('course_id', 'text', (column) => column.notNull())
    .addColumn('passed', 'integer', (column) => column.notNull())
    .addColumn('score', 'integer', (column) => column.notNull())
    .addColumn('checkpoints', 'text', (column) => column.notNull())
    .addColumn('evidence', 'text', (column) => column.notNull())
    .addColumn('hints_used', 'integer', (column) => column.notNull())
    .addColumn('started_at', 'text', (column) => column.notNull())
    .addColumn('duration_ms', 'integer', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('evaluation_sandbox').on('evaluation').columns(['sandbox_id', 'started_at']).execute()
  await db.schema.createIndex('evaluation_account').on('evaluation').columns(['account_id', 'started_at']).execute()
}
