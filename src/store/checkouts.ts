// Queries on checkouts: creation, cancellation, expiry, the provider's page. What their payments change is in settlements.ts.

import type { Kysely, Selectable } from 'kysely'
import { addHistory, type CheckoutHistoryRow, listHistory } from './checkout-history.ts'
import type { CheckoutTable } from './commerce-tables.ts'
import { isOneLeft } from './holds.ts'
import type { Tables } from './tables.ts'

export type CheckoutRow = Selectable<CheckoutTable>

export interface CommerceLocks {
  /** One at a time, of all servers: new events, and whoever takes one of a limited number. The first lock of a transaction. */
  readonly payments: (transaction: Kysely<Tables>) => Promise<void>
  /** Who counts what an account has. The second. */
  readonly account: (transaction: Kysely<Tables>, id: string) => Promise<void>
  /** The account is not deleted meanwhile. The second, too. */
  readonly accountKept: (transaction: Kysely<Tables>, id: string) => Promise<void>
  /** The third: whoever changes a checkout. */
  readonly checkout: (transaction: Kysely<Tables>, id: string) => Promise<void>
}

export interface CheckoutRoom {
  /** Open checkouts that the account may have. */
  readonly own: number
  /** How many of the offer are sold in all; null for as many as are wanted. */
  readonly limit: number | null
}

export const createCheckoutStore = (db: Kysely<Tables>, locks: CommerceLocks) => {
  const find = async (on: Kysely<Tables>, id: string): Promise<CheckoutRow | null> =>
    (await on.selectFrom('checkout').selectAll().where('id', '=', id).executeTakeFirst()) ?? null

  const countOpen = async (on: Kysely<Tables>, accountId: string, now: string, offerId?: string): Promise<number> => {
    let query = on
      .selectFrom('checkout')
      .select((build) => build.fn.countAll<number | string>().as('count'))
      .where('account_id', '=', accountId)
      .where('status', '=', 'open')
      .where('expires_at', '>', now)
    if (offerId !== undefined) query = query.where('offer_id', '=', offerId)
    return Number((await query.executeTakeFirstOrThrow()).count)
  }

  return {
    /** Counts and inserts in one transaction. */
    insert: (row: CheckoutRow, { own, limit }: CheckoutRoom): Promise<'inserted' | 'own_full' | 'sold_out'> =>
      db.transaction().execute(async (transaction) => {
        if (limit !== null) await locks.payments(transaction)
        if (row.account_id !== null) {
          await locks.account(transaction, row.account_id)
          if ((await countOpen(transaction, row.account_id, row.created_at)) >= own) return 'own_full'
          // One account holds one of a limited number, or whoever has many open checkouts keeps it from others.
          if (limit !== null && (await countOpen(transaction, row.account_id, row.created_at, row.offer_id)) > 0) return 'own_full'
        }
        if (limit !== null && !(await isOneLeft(transaction, row.offer_id, limit))) return 'sold_out'
        await transaction.insertInto('checkout').values(row).execute()
        await addHistory(transaction, row, { event: 'created', at: row.created_at })
        return 'inserted'
      }),

    find: (id: string): Promise<CheckoutRow | null> => find(db, id),

    findByRequest: async (requestId: string): Promise<CheckoutRow | null> =>
      (await db.selectFrom('checkout').selectAll().where('request_id', '=', requestId).executeTakeFirst()) ?? null,

    /** Ends an open checkout; what it held is free again. Changes nothing if it is not open. An expiry is not before its time. */
    end: (id: string, status: 'cancelled' | 'expired', now: string): Promise<CheckoutRow | null> =>
      db.transaction().execute(async (transaction) => {
        await locks.checkout(transaction, id)
        const row = await find(transaction, id)
        if (row === null || row.status !== 'open' || (status === 'expired' && row.expires_at > now)) return row
        const change = { status, hold: row.hold === 'held' ? ('released' as const) : row.hold }
        await transaction.updateTable('checkout').set(change).where('id', '=', id).execute()
        await addHistory(transaction, { ...row, ...change }, { event: status, at: now })
        return { ...row, ...change }
      }),

    history: (id: string): Promise<CheckoutHistoryRow[]> => listHistory(db, id),

    /** Keeps what the provider will be asked to open, unless something is kept already. Returns the row as it is then. */
    prepareOpening: async (id: string, order: string): Promise<CheckoutRow | null> => {
      await db
        .updateTable('checkout')
        .set({ page_order: order })
        .where('id', '=', id)
        .where('status', '=', 'open')
        .where('page_order', 'is', null)
        .execute()
      return find(db, id)
    },

    /** Keeps the page that the provider has opened. Returns the row as it is then: it may have ended meanwhile. */
    keepPage: (id: string, page: { readonly reference: string; readonly url: string }, now: string): Promise<CheckoutRow | null> =>
      db.transaction().execute(async (transaction) => {
        await locks.checkout(transaction, id)
        const row = await find(transaction, id)
        if (row === null || row.page_reference !== null) return row
        const change = { page_reference: page.reference, page_url: row.account_id === null ? null : page.url }
        await transaction.updateTable('checkout').set(change).where('id', '=', id).execute()
        await addHistory(transaction, row, { event: 'page_opened', at: now })
        return { ...row, ...change }
      }),

    markPageClosed: async (id: string, now: string): Promise<void> => {
      await db.updateTable('checkout').set({ page_closed_at: now, page_order: null, page_url: null }).where('id', '=', id).execute()
    },

    markSubscriptionStopped: async (id: string, now: string): Promise<void> => {
      await db.updateTable('checkout').set({ subscription_stopped_at: now }).where('id', '=', id).execute()
    },

    /** The customer that the provider knows the account by. */
    customerOf: async (accountId: string, provider: string): Promise<string | null> => {
      const row = await db
        .selectFrom('checkout')
        .select('customer')
        .where('account_id', '=', accountId)
        .where('provider', '=', provider)
        .where('customer', 'is not', null)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .executeTakeFirst()
      return row?.customer ?? null
    },

    listOverdue: (now: string, limit: number): Promise<CheckoutRow[]> =>
      db
        .selectFrom('checkout')
        .selectAll()
        .where('status', '=', 'open')
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(limit)
        .execute(),

    /** Pages of the provider that can still be paid, though the checkout was cancelled or has expired. */
    listPagesToClose: (provider: string, createdSince: string, limit: number): Promise<CheckoutRow[]> =>
      db
        .selectFrom('checkout')
        .selectAll()
        .where('provider', '=', provider)
        .where('status', 'in', ['cancelled', 'expired'])
        .where((build) => build.or([build('page_order', 'is not', null), build('page_reference', 'is not', null)]))
        .where('page_closed_at', 'is', null)
        .where('created_at', '>=', createdSince)
        .orderBy('created_at', 'desc')
        .limit(limit)
        .execute(),

    /** Subscriptions that nobody has any more, because the account was deleted or the payment gives nothing. */
    listSubscriptionsToStop: (provider: string, limit: number): Promise<CheckoutRow[]> =>
      db
        .selectFrom('checkout')
        .selectAll()
        .where('provider', '=', provider)
        .where('subscription', 'is not', null)
        .where('subscription_stopped_at', 'is', null)
        .where((build) => build.or([build('account_id', 'is', null), build('hold', '=', 'lost')]))
        .orderBy('created_at')
        .limit(limit)
        .execute(),
  }
}

export type CheckoutStore = ReturnType<typeof createCheckoutStore>
