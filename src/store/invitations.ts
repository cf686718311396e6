// Queries on invitations to a sandbox, and on those who came by them. A sandbox is locked while its invitations or guests are counted.

import type { Kysely, Selectable } from 'kysely'
import type { LabAccessRow } from './lab-access.ts'
import type { InvitationTable, Tables } from './tables.ts'

export type InvitationRow = Selectable<InvitationTable>

/** A guest is in the lab while it was seen after `seenAfter`. */
export interface GuestLimit {
  readonly most: number
  readonly seenAfter: string
}

export const createInvitationStore = (
  db: Kysely<Tables>,
  lockSandbox: (transaction: Kysely<Tables>, sandboxId: string) => Promise<void>,
) => {
  const listOpen = (from: Kysely<Tables>, sandboxId: string): Promise<InvitationRow[]> =>
    from
      .selectFrom('invitation')
      .selectAll()
      .where('sandbox_id', '=', sandboxId)
      .where('ended_at', 'is', null)
      .orderBy('created_at')
      .orderBy('id')
      .execute()

  const guests = (from: Kysely<Tables>, sandboxId: string, seenAfter: string) =>
    from
      .selectFrom('lab_access')
      .select(['id', 'invitation_id'])
      .where('sandbox_id', '=', sandboxId)
      .where('invitation_id', 'is not', null)
      .where('revoked_at', 'is', null)
      .where('last_seen_at', '>', seenAfter)
      .execute()

  /** Beyond so many, those that were not seen for longest lose their access: what is valid is never more than may be in. Returns the others. */
  const revokeBeyond = async (from: Kysely<Tables>, { sandbox_id, created_at }: LabAccessRow, most: number) => {
    const valid = await from
      .selectFrom('lab_access')
      .select(['id', 'place'])
      .where('sandbox_id', '=', sandbox_id)
      .where('invitation_id', 'is not', null)
      .where('revoked_at', 'is', null)
      .orderBy('last_seen_at', 'desc')
      .orderBy('id')
      .execute()
    const ids = valid.slice(most).map(({ id }) => id)
    if (ids.length > 0) await from.updateTable('lab_access').set({ revoked_at: created_at }).where('id', 'in', ids).execute()
    return valid.slice(0, most)
  }

  const firstFree = (taken: readonly { readonly place: number | null }[]): number => {
    for (let place = 0; ; place += 1) if (!taken.some((one) => one.place === place)) return place
  }

  return {
    /** False when there are as many as there may be. */
    insert: (row: InvitationRow, most: number): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        await lockSandbox(transaction, row.sandbox_id)
        if ((await listOpen(transaction, row.sandbox_id)).length >= most) return false
        await transaction.insertInto('invitation').values(row).execute()
        return true
      }),

    find: async (hash: string, now: string): Promise<InvitationRow | null> =>
      (await db
        .selectFrom('invitation')
        .selectAll()
        .where('hash', '=', hash)
        .where('ended_at', 'is', null)
        .where('expires_at', '>', now)
        .executeTakeFirst()) ?? null,

    /** Lets a guest in, on the first place that is free. `ended`: the invitation has ended meanwhile. */
    admit: (row: LabAccessRow, { most, seenAfter }: GuestLimit): Promise<'admitted' | 'full' | 'ended'> =>
      db.transaction().execute(async (transaction) => {
        await lockSandbox(transaction, row.sandbox_id)
        const open = await listOpen(transaction, row.sandbox_id)
        if (!open.some(({ id }) => id === row.invitation_id)) return 'ended'
        if ((await guests(transaction, row.sandbox_id, seenAfter)).length >= most) return 'full'
        const others = await revokeBeyond(transaction, row, most - 1)
        await transaction
          .insertInto('lab_access')
          .values({ ...row, place: firstFree(others) })
          .execute()
        return 'admitted'
      }),

    /** Those that have not ended, oldest first, each with the number of guests who are in the lab. */
    list: async (sandboxId: string, seenAfter: string): Promise<(InvitationRow & { readonly guests: number })[]> => {
      const present = await guests(db, sandboxId, seenAfter)
      const countOf = (id: string) => present.filter(({ invitation_id }) => invitation_id === id).length
      return (await listOpen(db, sandboxId)).map((row) => ({ ...row, guests: countOf(row.id) }))
    },

    /** Ends one, or all, and with them the access of everybody who came by them. Returns those that ended now. */
    end: (sandboxId: string, id: string | null, now: string): Promise<InvitationRow[]> =>
      db.transaction().execute(async (transaction) => {
        await lockSandbox(transaction, sandboxId)
        const ending = (await listOpen(transaction, sandboxId)).filter((row) => id === null || row.id === id)
        const ids = ending.map((row) => row.id)
        if (ids.length === 0) return []
        await transaction.updateTable('invitation').set({ ended_at: now }).where('id', 'in', ids).execute()
        await transaction
          .updateTable('lab_access')
          .set({ revoked_at: now })
          .where('invitation_id', 'in', ids)
          .where('revoked_at', 'is', null)
          .execute()
        return ending
      }),
  }
}

export type InvitationStore = ReturnType<typeof createInvitationStore>
