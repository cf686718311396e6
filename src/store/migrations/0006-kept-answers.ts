// The size and the account of stored responses.

import { type Kysely, sql } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.alterTable('request').addColumn('account_id', 'text').execute()
  await db.schema
    .alterTable('request')
    .addColumn('body_bytes', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .alterTable('request')
    .addColumn('sandboxes', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute()
  await db.schema.createIndex('request_account').on('request').columns(['account_id', 'body_bytes']).execute()
  // It is not recorded which sandboxes these responses were about, so their session ids cannot be computed again.
  await sql`update request set body = null where body like '%"session_id":null%'`.execute(db)
  // They have another format. An empty body marks a committed batch.
  await sql`update batch set body = '' where body is not null`.execute(db)
}
