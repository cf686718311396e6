// Queries on accounts and their identities.

import type { Insertable, Kysely, Selectable } from 'kysely'
import type { SandboxStatus } from '../contract/sandbox.ts'
import { forgetPurchases } from './deleted-accounts.ts'
import { type AccountTable, type IdentityTable, live, type Tables } from './tables.ts'

export type AccountRow = Selectable<AccountTable>
export type IdentityRow = Selectable<IdentityTable>
type Key = Pick<IdentityRow, 'provider' | 'subject'>

export const createAccountStore = (db: Kysely<Tables>, lockAlone: (transaction: Kysely<Tables>, id: string) => Promise<void>) => {
  const identity = (on: Kysely<Tables>, { provider, subject }: Key) =>
    on.selectFrom('identity').selectAll().where('provider', '=', provider).where('subject', '=', subject).executeTakeFirst()

  /** False when an account has it already. */
  const insertIdentity = async (on: Kysely<Tables>, row: IdentityRow): Promise<boolean> => {
    const inserted = await on
      .insertInto('identity')
      .values(row)
      .onConflict((conflict) => conflict.columns(['provider', 'subject']).doNothing())
      .executeTakeFirst()
    return (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n
  }

  /** What the provider says now. */
  const refresh = async (on: Kysely<Tables>, { provider, subject, login, email, avatar_url, last_used_at }: IdentityRow): Promise<void> => {
    await on
      .updateTable('identity')
      .set({ login, email, avatar_url, last_used_at })
      .where('provider', '=', provider)
      .where('subject', '=', subject)
      .execute()
  }

  return {
    insert: async (row: Insertable<AccountTable>): Promise<void> => {
      await db.insertInto('account').values(row).execute()
    },

    find: async (id: string): Promise<AccountRow | null> =>
      (await db.selectFrom('account').selectAll().where('id', '=', id).executeTakeFirst()) ?? null,

    /** The account with this identity; both rows are inserted when there is none. */
    findOrCreate: (row: AccountRow, who: Omit<IdentityRow, 'account_id'>): Promise<AccountRow> =>
      db.transaction().execute(async (transaction) => {
        const known = await identity(transaction, who)
        if (known === undefined) {
          await transaction.insertInto('account').values(row).execute()
          if (await insertIdentity(transaction, { ...who, account_id: row.id })) return row
          await transaction.deleteFrom('account').where('id', '=', row.id).execute()
        }
        const { account_id } = known ?? ((await identity(transaction, who)) as IdentityRow)
        await refresh(transaction, { ...who, account_id })
        return transaction.selectFrom('account').selectAll().where('id', '=', account_id).executeTakeFirstOrThrow()
      }),

    /** Adds an identity to an account. False when it belongs to another one. */
    link: (row: IdentityRow): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        if (await insertIdentity(transaction, row)) return true
        const known = await identity(transaction, row)
        if (known?.account_id !== row.account_id) return false
        await refresh(transaction, row)
        return true
      }),

    /** Those used last come first. */
    identitiesOf: (accountId: string): Promise<IdentityRow[]> =>
      db
        .selectFrom('identity')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('last_used_at', 'desc')
        .orderBy('provider')
        .orderBy('subject')
        .execute(),

    /** Deletes an account with all that is personal, and ends its sandboxes. Returns all that it had, and those that were live. */
    remove: (id: string, now: string): Promise<{ sandboxes: string[]; ended: string[] }> =>
      db.transaction().execute(async (transaction) => {
        await lockAlone(transaction, id)
        const rows = await transaction.selectFrom('sandbox').select(['id', 'status']).where('account_id', '=', id).orderBy('id').execute()
        await transaction
          .updateTable('sandbox')
          .set({ status: 'terminated', termination_reason: 'stopped', ended_at: now })
          .where('account_id', '=', id)
          .where('status', 'in', live)
          .execute()
        await transaction
          .deleteFrom('request')
          .where('sandbox_id', 'in', transaction.selectFrom('sandbox').select('id').where('account_id', '=', id))
          .execute()
        await transaction
          .updateTable('sandbox')
          .set({ account_id: null, address: null, termination_note: null })
          .where('account_id', '=', id)
          .execute()
        await forgetPurchases(transaction, id, now)
        for (const table of ['evaluation', 'share', 'job', 'request', 'token', 'browser_session', 'sign_in', 'identity'] as const) {
          await transaction.deleteFrom(table).where('account_id', '=', id).execute()
        }
        await transaction.deleteFrom('account').where('id', '=', id).execute()
        const isLive = ({ status }: { readonly status: SandboxStatus }) => (live as readonly SandboxStatus[]).includes(status)
        return { sandboxes: rows.map((row) => row.id), ended: rows.filter(isLive).map((row) => row.id) }
      }),
  }
}

export type AccountStore = ReturnType<typeof createAccountStore>
