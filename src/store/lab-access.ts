// Queries on the access of browser tabs to sandboxes. Whoever presents a hash that is stored has the secret; nothing else is compared.

import type { Kysely, Selectable } from 'kysely'
import type { LabAccessTable, Tables } from './tables.ts'

export type LabAccessRow = Selectable<LabAccessTable>

export const createLabAccessStore = (db: Kysely<Tables>) => ({
  /** False when the signed ticket was used before. */
  insert: async (row: LabAccessRow): Promise<boolean> => {
    const inserted = await db
      .insertInto('lab_access')
      .values(row)
      .onConflict((conflict) => conflict.column('first_ticket_hash').doNothing())
      .executeTakeFirst()
    return (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n
  },

  /** Of the tabs that came by tickets of a sandbox, only the newest keep their access. */
  keepNewest: async (sandboxId: string, most: number, now: string): Promise<void> => {
    const tabs = await db
      .selectFrom('lab_access')
      .select('id')
      .where('sandbox_id', '=', sandboxId)
      .where('first_ticket_hash', 'is not', null)
      .where('revoked_at', 'is', null)
      .orderBy('last_seen_at', 'desc')
      .orderBy('id')
      .execute()
    const ids = tabs.slice(most).map(({ id }) => id)
    if (ids.length > 0) await db.updateTable('lab_access').set({ revoked_at: now }).where('id', 'in', ids).execute()
  },

  /** Uses a ticket up. Null unless it is the next one of an access that has not ended. Whoever only does this is not seen by it. */
  rotate: async (ticketHash: string, next: Pick<LabAccessRow, 'ticket_hash' | 'token_hash'>, now: string): Promise<LabAccessRow | null> =>
    (await db
      .updateTable('lab_access')
      .set(next)
      .where('ticket_hash', '=', ticketHash)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now)
      .returningAll()
      .executeTakeFirst()) ?? null,

  findByToken: async (tokenHash: string, now: string): Promise<LabAccessRow | null> =>
    (await db
      .selectFrom('lab_access')
      .selectAll()
      .where('token_hash', '=', tokenHash)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now)
      .executeTakeFirst()) ?? null,

  /** Notes that it was seen, unless it was not before `seenBefore` that it was seen last. */
  touch: async (id: string, now: string, seenBefore: string): Promise<void> => {
    await db.updateTable('lab_access').set({ last_seen_at: now }).where('id', '=', id).where('last_seen_at', '<', seenBefore).execute()
  },

  /** The sandboxes of a visitor's browser, newest first. */
  listByVisitor: (visitorHash: string, now: string): Promise<LabAccessRow[]> =>
    db
      .selectFrom('lab_access')
      .selectAll()
      .where('visitor_hash', '=', visitorHash)
      .where('expires_at', '>', now)
      .orderBy('created_at', 'desc')
      .execute(),

  /** One more sandbox of a visitor's browser, whose earlier ones are found by the same cookie from now on. */
  insertVisitor: (row: LabAccessRow, before: string | null): Promise<void> =>
    db.transaction().execute(async (transaction) => {
      if (before !== null) {
        const { visitor_hash } = row
        await transaction.updateTable('lab_access').set({ visitor_hash }).where('visitor_hash', '=', before).execute()
      }
      await transaction.insertInto('lab_access').values(row).execute()
    }),

  /** Deletes what has expired, and what was revoked; the hash of a signed ticket is kept until nobody could use the ticket again. */
  purge: async (now: string, usedBefore: string): Promise<void> => {
    await db.deleteFrom('lab_access').where('expires_at', '<=', now).execute()
    await db
      .deleteFrom('lab_access')
      .where('revoked_at', 'is not', null)
      .where((build) => build.or([build('first_ticket_hash', 'is', null), build('created_at', '<=', usedBefore)]))
      .execute()
    await db.deleteFrom('invitation').where('expires_at', '<=', now).execute()
  },
})

export type LabAccessStore = ReturnType<typeof createLabAccessStore>
