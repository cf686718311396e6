// Rows of requests with an idempotency key: reserved before the work, completed with the response.

import type { Kysely, Selectable } from 'kysely'
import type { RequestTable, Tables } from './tables.ts'

export type RequestRow = Selectable<RequestTable>

/** A response to be stored; if the account's storage is full, only its status is. */
export interface NewAnswer {
  readonly status: number
  readonly body: string | null
  readonly bytes: number
  readonly sandboxes: readonly string[]
}

const countKept = async (on: Kysely<Tables>, accountId: string | null): Promise<number> => {
  const row = await on
    .selectFrom('request')
    .select((build) => build.fn.sum<number | string | null>('body_bytes').as('bytes'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(row.bytes ?? 0)
}

export const createRequestStore = (db: Kysely<Tables>, lockAccount: (transaction: Kysely<Tables>, id: string) => Promise<void>) => ({
  /** Null when the row was inserted; else the existing row with this scope. */
  reserve: async (row: RequestRow): Promise<RequestRow | null> => {
    const inserted = await db
      .insertInto('request')
      .values(row)
      .onConflict((conflict) => conflict.column('scope').doNothing())
      .executeTakeFirst()
    if ((inserted.numInsertedOrUpdatedRows ?? 0n) > 0n) return null
    return (await db.selectFrom('request').selectAll().where('scope', '=', row.scope).executeTakeFirst()) ?? null
  },

  /** Takes over a request that another process left in progress. False when another one was faster. */
  adopt: async (id: string, from: string, bootId: string): Promise<boolean> => {
    const result = await db
      .updateTable('request')
      .set({ boot_id: bootId })
      .where('id', '=', id)
      .where('boot_id', '=', from)
      .where('status', 'is', null)
      .executeTakeFirst()
    return result.numUpdatedRows > 0n
  },

  /** Stores the response here; the copy in the row of a batch is deleted. */
  finish: (id: string, { status, body, bytes, sandboxes }: NewAnswer, accountBytes: number): Promise<void> =>
    db.transaction().execute(async (transaction) => {
      const row = await transaction.selectFrom('request').select(['account_id', 'body_bytes']).where('id', '=', id).executeTakeFirst()
      if (row === undefined) return
      if (row.account_id !== null) await lockAccount(transaction, row.account_id)
      const others = (await countKept(transaction, row.account_id)) - row.body_bytes
      const kept = body !== null && others + bytes <= accountBytes
      const answer = kept
        ? { body, body_bytes: bytes, sandboxes: JSON.stringify(sandboxes) }
        : { body: null, body_bytes: 0, sandboxes: '[]' }
      await transaction
        .updateTable('request')
        .set({ status, ...answer })
        .where('id', '=', id)
        .execute()
      await transaction.updateTable('batch').set({ body: '' }).where('request_id', '=', id).where('body', 'is not', null).execute()
    }),

  release: async (id: string): Promise<void> => {
    await db.deleteFrom('request').where('id', '=', id).execute()
  },

  purge: async (before: string): Promise<void> => {
    await db.deleteFrom('request').where('created_at', '<', before).execute()
  },
})

export type RequestStore = ReturnType<typeof createRequestStore>
