// Queries on checkouts: creation, cancellation, expiry, the provider's page. What their payments change is in settlements.ts.

import type { Kysely, Selectable } from 'kysely'
import { addHistory, type CheckoutHistoryRow, listHistory } from './checkout-history.ts'
import type { CheckoutTable } from './commerce-tables.ts'
import { isOneLeft } from './holds.ts'
import { comesAfter, type Position } from './newest-first.ts'
import { countOpen, endOpen, listOpenOfPlan } from './open-checkouts.ts'
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

/** A part of a list in the order of ids: those after one. */
export interface Slice {
  readonly after: string
  readonly limit: number
}

/** Tests of a provider and real money are apart. */
export interface ProviderMode {
  readonly name: string
  readonly live: boolean
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

  return {
    /** Counts and inserts in one transaction. An open checkout of the same plan is replaced, and what it held is for this one. */
    insert: (row: CheckoutRow, { own, limit }: CheckoutRoom): Promise<'inserted' | 'own_full' | 'sold_out'> =>
      db.transaction().execute(async (transaction) => {
        if (row.offer_kind === 'plan') await locks.payments(transaction)
        const replaced: CheckoutRow[] = []
        if (row.account_id !== null) {
          await locks.account(transaction, row.account_id)
          for (const { id } of await listOpenOfPlan(transaction, row, row.created_at)) {
            await locks.checkout(transaction, id)
            const locked = await find(transaction, id)
            if (locked?.status === 'open') replaced.push(locked)
          }
          if ((await countOpen(transaction, row.account_id, row.created_at)) - replaced.length >= own) return 'own_full'
        }
        const freesOne = replaced.some(({ hold }) => hold === 'held')
        if (limit !== null && !freesOne && !(await isOneLeft(transaction, row.offer_id, limit))) return 'sold_out'
        for (const one of replaced) await endOpen(transaction, one, 'cancelled', row.created_at)
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
        return endOpen(transaction, row, status, now)
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

    /** Those of an account, newest first, after the given one, with the number of all. */
    page: async (
      accountId: string,
      { limit, after }: { readonly limit: number; readonly after?: Position },
    ): Promise<{ readonly count: number; readonly rows: CheckoutRow[] }> => {
      const own = db.selectFrom('checkout').where('account_id', '=', accountId)
      let query = own.selectAll()
      if (after !== undefined) query = query.where(comesAfter('created_at', after))
      const rows = await query.orderBy('created_at', 'desc').orderBy('id').limit(limit).execute()
      const { count } = await own.select((build) => build.fn.countAll<number | string>().as('count')).executeTakeFirstOrThrow()
      return { count: Number(count), rows }
    },

    /** Those of an account that are paid by a subscription, the oldest first. */
    listSubscribed: (accountId: string): Promise<CheckoutRow[]> =>
      db
        .selectFrom('checkout')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('subscription', 'is not', null)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),

    listOverdue: (now: string, limit: number): Promise<CheckoutRow[]> =>
      db
        .selectFrom('checkout')
        .selectAll()
        .where('status', '=', 'open')
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(limit)
        .execute(),

    /** Pages of the provider that can still be paid, though the checkout was cancelled or has expired; in the order of ids. */
    listPagesToClose: ({ name, live }: ProviderMode, createdSince: string, { after, limit }: Slice): Promise<CheckoutRow[]> =>
      db
        .selectFrom('checkout')
        .selectAll()
        .where('provider', '=', name)
        .where('live', '=', Number(live))
        .where('status', 'in', ['cancelled', 'expired'])
        .where((build) => build.or([build('page_order', 'is not', null), build('page_reference', 'is not', null)]))
        .where('page_closed_at', 'is', null)
        .where('created_at', '>=', createdSince)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),

    /** Subscriptions that nobody has any more, because the account was deleted or the payment gives nothing; in the order of ids. */
    listSubscriptionsToStop: ({ name, live }: ProviderMode, { after, limit }: Slice): Promise<CheckoutRow[]> =>
      db
        .selectFrom('checkout')
        .selectAll()
        .where('provider', '=', name)
        .where('live', '=', Number(live))
        .where('subscription', 'is not', null)
        .where('subscription_stopped_at', 'is', null)
        .where((build) => build.or([build('account_id', 'is', null), build('hold', '=', 'lost')]))
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),

    /**
     * Checkouts that ended before this moment and that no event tells a payment of. One whose page was opened may have been paid all the
     * same, and is listed only if it ended before the other moment.
     */
    listForgettable: async (before: string, beforeOpened: string, limit: number): Promise<string[]> => {
      const rows = await db
        .selectFrom('checkout')
        .select('id')
        .where('status', 'in', ['cancelled', 'expired'])
        .where('created_at', '<', before)
        .where('expires_at', '<', before)
        .where((build) =>
          build.or([
            build('expires_at', '<', beforeOpened),
            build.and([build('page_order', 'is', null), build('page_reference', 'is', null)]),
          ]),
        )
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('payment_event')
                .select('id')
                .whereRef('payment_event.checkout_id', '=', 'checkout.id')
                .where('payment_event.kind', '!=', 'payment_failed'),
            ),
          ),
        )
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(({ id }) => id)
    },

    /** Deletes a checkout that is not open and that no event tells a payment of. */
    forget: (id: string): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        await locks.payments(transaction) // no event is linked to it meanwhile
        const accountId = (await find(transaction, id))?.account_id ?? null
        if (accountId !== null) await locks.accountKept(transaction, accountId)
        await locks.checkout(transaction, id)
        const row = await find(transaction, id)
        if (row?.status !== 'cancelled' && row?.status !== 'expired') return
        const events = await transaction.selectFrom('payment_event').select('kind').where('checkout_id', '=', id).execute()
        if (events.some(({ kind }) => kind !== 'payment_failed')) return
        await transaction.deleteFrom('payment_event').where('checkout_id', '=', id).execute()
        await transaction.deleteFrom('checkout_history').where('checkout_id', '=', id).execute()
        await transaction.deleteFrom('checkout').where('id', '=', id).execute()
      }),
  }
}

export type CheckoutStore = ReturnType<typeof createCheckoutStore>
