// Access to one lab without an account: by a ticket, by an invitation, and of a visitor's browser.

import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('invitation')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('sandbox_id', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('ended_at', 'text')
    .execute()
  await db.schema.createIndex('invitation_sandbox').on('invitation').column('sandbox_id').execute()

  await db.schema
    .createTable('lab_access')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('sandbox_id', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('invitation_id', 'text')
    .addColumn('first_ticket_hash', 'text', (column) => column.unique())
    .addColumn('ticket_hash', 'text', (column) => column.unique())
    .addColumn('token_hash', 'text', (column) => column.unique())
    .addColumn('visitor_hash', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('last_seen_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('revoked_at', 'text')
    .execute()
  for (const column of ['sandbox_id', 'invitation_id', 'visitor_hash', 'expires_at'])
    await db.schema.createIndex(`lab_access_${column}`).on('lab_access').column(column).execute()
}
