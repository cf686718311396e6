// The sandbox of a stored response, where somebody without an account asked by the token of a lab.

import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.alterTable('request').addColumn('sandbox_id', 'text').execute()
  await db.schema.createIndex('request_sandbox').on('request').columns(['sandbox_id', 'body_bytes']).execute()
}
