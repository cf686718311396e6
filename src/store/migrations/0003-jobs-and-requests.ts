// Jobs, remembered requests and batches.

import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('request')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('scope', 'text', (column) => column.notNull().unique())
    .addColumn('body_hash', 'text', (column) => column.notNull())
    .addColumn('node', 'text', (column) => column.notNull())
    .addColumn('boot_id', 'text', (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('body', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('request_created').on('request').column('created_at').execute()

  await db.schema
    .createTable('batch')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('request_id', 'text', (column) => column.unique())
    .addColumn('node', 'text', (column) => column.notNull())
    .addColumn('boot_id', 'text', (column) => column.notNull())
    .addColumn('body', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('job')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('course_id', 'text', (column) => column.notNull())
    .addColumn('seed', 'text', (column) => column.notNull())
    .addColumn('sandbox_id', 'text', (column) => column.references('sandbox.id'))
    .addColumn('position', 'integer', (column) => column.notNull().unique())
    .addColumn('request_id', 'text', (column) => column.unique())
    .addColumn('batch_id', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('cancelled_at', 'text')
    .execute()
  await db.schema.createIndex('job_queue').on('job').columns(['sandbox_id', 'cancelled_at', 'position']).execute()

  for (const table of ['sandbox', 'evaluation']) {
    await db.schema.alterTable(table).addColumn('request_id', 'text').execute()
    await db.schema.createIndex(`${table}_request`).unique().on(table).column('request_id').execute()
  }
  await db.schema.alterTable('sandbox').addColumn('batch_id', 'text').execute()
  await db.schema.createIndex('sandbox_batch').on('sandbox').column('batch_id').execute()
  await db.schema.createIndex('sandbox_ended').on('sandbox').column('ended_at').execute()
}
