// Rows of requests with an idempotency key: reserved before the work, completed with the response.

import type { Kysely, Selectable } from 'kysely'
import { live, type RequestTable, type Tables } from './tables.ts'

export type RequestRow = Selectable<RequestTable>

/** A response to be stored; if the storage of whose it is is full, only its status is. */
export interface NewAnswer {
  readonly status: number
  readonly body: string | null
  readonly bytes: number
  readonly sandboxes: readonly string[]
}

/** Whose rows count together: an account's, or those of all who have tokens of a sandbox. */
type Owner = Pick<RequestRow, 'account_id' | 'sandbox_id'>

const countKept = async (on: Kysely<Tables>, { account_id, sandbox_id }: Owner): Promise<number> => {
  const kept = on.selectFrom('request').select((build) => build.fn.sum<number | string | null>('body_bytes').as('bytes'))
  const own = account_id === null ? kept.where('sandbox_id', '=', sandbox_id) : kept.where('account_id', '=', account_id)
  return Number((await own.executeTakeFirstOrThrow()).bytes ?? 0)
}

type Lock = (transaction: Kysely<Tables>, id: string) => Promise<void>

export interface RequestLocks {
  readonly account: Lock
  readonly sandbox: Lock
}

export const createRequestStore = (db: Kysely<Tables>, lock: RequestLocks) => ({
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
  finish: (id: string, { status, body, bytes, sandboxes }: NewAnswer, mostBytes: number): Promise<void> =>
    db.transaction().execute(async (transaction) => {
      const row = await transaction
        .selectFrom('request')
        .select(['account_id', 'sandbox_id', 'body_bytes'])
        .where('id', '=', id)
        .executeTakeFirst()
      if (row === undefined) return
      if (row.account_id !== null) await lock.account(transaction, row.account_id)
      if (row.sandbox_id !== null) await lock.sandbox(transaction, row.sandbox_id)
      const others = (await countKept(transaction, row)) - row.body_bytes
      const kept = body !== null && others + bytes <= mostBytes
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

  /** Deletes what is too old; what was asked with the tokens of a lab, as soon as it has ended. */
  purge: async (before: string): Promise<void> => {
    await db.deleteFrom('request').where('created_at', '<', before).execute()
    await db
      .deleteFrom('request')
      .where('sandbox_id', 'is not', null)
      .where('sandbox_id', 'not in', db.selectFrom('sandbox').select('id').where('status', 'in', live))
      .execute()
  },
})

export type RequestStore = ReturnType<typeof createRequestStore>
