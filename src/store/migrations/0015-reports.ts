// When hints were given, and the links by which owners show others what is left of an attempt.

import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .alterTable('sandbox')
    .addColumn('hints_given_at', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute()
  await db.schema
    .createTable('share')
    .addColumn('sandbox_id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('shared_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('share_account').on('share').column('account_id').execute()
}
