// Accounts, tokens and sandboxes.

import { type Kysely, sql } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('installation')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('account')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('login', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull().check(sql`role in ('operator', 'member')`))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('token')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('last_four', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('last_used_at', 'text')
    .addColumn('revoked_at', 'text')
    .execute()
  await db.schema.createIndex('token_account').on('token').column('account_id').execute()

  await db.schema
    .createTable('sandbox')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.references('account.id'))
    .addColumn('address', 'text')
    .addColumn('course_id', 'text', (column) => column.notNull())
    .addColumn('seed', 'text', (column) => column.notNull())
    .addColumn('baseline', 'text')
    .addColumn('hints_used', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('grading_errors', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('status', 'text', (column) => column.notNull().check(sql`status in ('starting', 'running', 'completed', 'terminated')`))
    .addColumn('termination_reason', 'text', (column) =>
      column.check(sql`termination_reason in ('stopped', 'expired', 'failed', 'disk_exceeded', 'evicted')`),
    )
    .addColumn('containers', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('deadline', 'text', (column) => column.notNull())
    .addColumn('ended_at', 'text')
    .addColumn('node', 'text', (column) => column.notNull())
    .addColumn('boot_id', 'text', (column) => column.notNull())
    .addCheckConstraint('sandbox_end', sql`(status = 'terminated') = (ended_at is not null)`)
    .addCheckConstraint('sandbox_reason', sql`(status = 'terminated') = (termination_reason is not null)`)
    .execute()
  await db.schema.createIndex('sandbox_account').on('sandbox').columns(['account_id', 'created_at']).execute()
  await db.schema.createIndex('sandbox_status').on('sandbox').column('status').execute()
}
