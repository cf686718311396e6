// Open checkouts of an account, and how one ends that was not paid. An account has one open checkout of a plan at a time: a second page
// would be a second payment for the same thing.

import type { Kysely, Selectable } from 'kysely'
import { addHistory } from './checkout-history.ts'
import type { CheckoutTable } from './commerce-tables.ts'
import type { Tables } from './tables.ts'

type CheckoutRow = Selectable<CheckoutTable>

export const countOpen = async (on: Kysely<Tables>, accountId: string, now: string): Promise<number> => {
  const row = await on
    .selectFrom('checkout')
    .select((build) => build.fn.countAll<number | string>().as('count'))
    .where('account_id', '=', accountId)
    .where('status', '=', 'open')
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Those of the same account and plan. None for a credit pack: it may be bought several times. */
export const listOpenOfPlan = async (on: Kysely<Tables>, row: CheckoutRow, now: string): Promise<CheckoutRow[]> => {
  const { id, account_id, offer_kind, offer_id } = row
  if (account_id === null || offer_kind !== 'plan') return []
  return on
    .selectFrom('checkout')
    .selectAll()
    .where('account_id', '=', account_id)
    .where('offer_kind', '=', 'plan')
    .where('offer_id', '=', offer_id)
    .where('status', '=', 'open')
    .where('expires_at', '>', now)
    .where('id', '!=', id)
    .orderBy('id')
    .execute()
}

/** What it held is free again. Only for an open one, while it is locked. */
export const endOpen = async (
  transaction: Kysely<Tables>,
  row: CheckoutRow,
  status: 'cancelled' | 'expired',
  now: string,
): Promise<CheckoutRow> => {
  const change = { status, hold: row.hold === 'held' ? ('released' as const) : row.hold }
  await transaction.updateTable('checkout').set(change).where('id', '=', row.id).execute()
  await addHistory(transaction, { ...row, ...change }, { event: status, at: now })
  return { ...row, ...change }
}
