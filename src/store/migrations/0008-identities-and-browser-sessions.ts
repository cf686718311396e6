// Identities, browser sessions and sign-ins. An account is no longer found by its login: the operator has the identity `local`, which
// no provider can produce.

import { type Kysely, SqliteAdapter, sql } from 'kysely'

const createIdentities = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('identity')
    .addColumn('provider', 'text', (column) => column.notNull().check(sql`provider in ('github', 'google', 'local')`))
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('login', 'text')
    .addColumn('email', 'text')
    .addColumn('avatar_url', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('last_used_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('identity_key', ['provider', 'subject'])
    .execute()
  await db.schema.createIndex('identity_account').on('identity').column('account_id').execute()
  await sql`
    insert into identity (provider, subject, account_id, login, created_at, last_used_at)
    select 'local', 'operator', id, login, created_at, created_at from account where login = 'operator' and role = 'operator'
  `.execute(db)
}

/** SQLite drops no unique column: the table is made anew. Foreign keys to it are checked when the migration is committed. */
const dropLogin = async (db: Kysely<unknown>): Promise<void> => {
  if (!(db.getExecutor().adapter instanceof SqliteAdapter)) {
    await db.schema.alterTable('account').dropColumn('login').execute()
    return
  }
  await sql`pragma defer_foreign_keys = on`.execute(db)
  await sql`create table account_before as select * from account`.execute(db)
  await db.schema.dropTable('account').execute()
  await db.schema
    .createTable('account')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull().check(sql`role in ('operator', 'member')`))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()
  await sql`insert into account (id, name, role, created_at) select id, name, role, created_at from account_before`.execute(db)
  await db.schema.dropTable('account_before').execute()
}

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await createIdentities(db)
  await dropLogin(db)

  await db.schema
    .createTable('browser_session')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('account.id'))
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('user_agent', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('last_used_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('revoked_at', 'text')
    .execute()
  await db.schema.createIndex('browser_session_account').on('browser_session').column('account_id').execute()
  await db.schema.createIndex('browser_session_expiry').on('browser_session').column('expires_at').execute()

  await db.schema
    .createTable('sign_in')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.references('account.id'))
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('used_at', 'text')
    .execute()
  await db.schema.createIndex('sign_in_expiry').on('sign_in').column('expires_at').execute()

  await db.schema.alterTable('token').addColumn('request_id', 'text').execute()
  await db.schema.createIndex('token_request').unique().on('token').column('request_id').execute()
}
