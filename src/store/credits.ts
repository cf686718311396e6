// The ledger of credits. Entries are only added, each for a cause of its own; a balance is the sum of entries and is stored nowhere.

import type { Kysely, Selectable } from 'kysely'
import { createId } from '../ids.ts'
import type { CreditEntryTable } from './commerce-tables.ts'
import { comesAfter, type Position } from './newest-first.ts'
import type { Tables } from './tables.ts'

export type CreditEntryRow = Selectable<CreditEntryTable>

export interface Spending {
  readonly accountId: string
  readonly amount: number
  /** What is paid with it, for example the start of a sandbox, by its id. */
  readonly what: string
  readonly now: string
}

const spendCause = (what: string) => `spend ${what}`
const giveBackCause = (what: string) => `give back ${what}`

const sumOf = async (on: Kysely<Tables>, column: 'account_id' | 'checkout_id', id: string): Promise<number> => {
  const row = await on
    .selectFrom('credit_entry')
    .select((build) => build.fn.sum<number | string | null>('amount').as('sum'))
    .where(column, '=', id)
    .executeTakeFirstOrThrow()
  return Number(row.sum ?? 0)
}

/** False when there is an entry for this cause already. */
const add = async (on: Kysely<Tables>, entry: Omit<CreditEntryRow, 'id'>): Promise<boolean> => {
  const inserted = await on
    .insertInto('credit_entry')
    .values({ id: createId(), ...entry })
    .onConflict((conflict) => conflict.column('cause').doNothing())
    .executeTakeFirst()
  return (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** What the purchase of a checkout has added so far, refunds included. */
export const creditsGiven = (on: Kysely<Tables>, checkoutId: string): Promise<number> => sumOf(on, 'checkout_id', checkoutId)

/** Adds what is missing for the purchase to have given `wanted`. One event adds at most one entry. */
export const balanceCredits = async (
  on: Kysely<Tables>,
  { id, account_id }: { readonly id: string; readonly account_id: string | null },
  wanted: number,
  event: string,
  now: string,
): Promise<void> => {
  const amount = wanted - (await creditsGiven(on, id))
  if (amount === 0) return
  const reason = amount > 0 ? 'purchase' : 'refund'
  if (await add(on, { account_id, amount, reason, cause: `event ${event}`, checkout_id: id, created_at: now })) return
  throw new Error(`the event ${event} has changed the ledger before`)
}

type LockAccount = (transaction: Kysely<Tables>, id: string) => Promise<void>

/**
 * Within a transaction: spends credits, if the account has enough. True when it did, also when it had spent them for the same thing
 * before.
 */
export const spendCredits = async (
  transaction: Kysely<Tables>,
  lockAccount: LockAccount,
  { accountId, amount, what, now }: Spending,
): Promise<boolean> => {
  await lockAccount(transaction, accountId)
  const cause = spendCause(what)
  const known = await transaction.selectFrom('credit_entry').select('account_id').where('cause', '=', cause).executeTakeFirst()
  if (known !== undefined) return known.account_id === accountId
  if ((await sumOf(transaction, 'account_id', accountId)) < amount) return false
  return add(transaction, { account_id: accountId, amount: -amount, reason: 'spend', cause, checkout_id: null, created_at: now })
}

/** Within a transaction, or alone: returns what was spent. False when nothing was spent, or it was returned before. */
export const giveBackCredits = async (on: Kysely<Tables>, what: string, now: string): Promise<boolean> => {
  const spent = await on.selectFrom('credit_entry').selectAll().where('cause', '=', spendCause(what)).executeTakeFirst()
  if (spent === undefined || spent.account_id === null) return false
  const { account_id, amount } = spent
  return add(on, { account_id, amount: -amount, reason: 'give_back', cause: giveBackCause(what), checkout_id: null, created_at: now })
}

export const createCreditStore = (db: Kysely<Tables>, lockAccount: LockAccount) => ({
  balance: (accountId: string): Promise<number> => sumOf(db, 'account_id', accountId),

  spend: (spending: Spending): Promise<boolean> =>
    db.transaction().execute((transaction) => spendCredits(transaction, lockAccount, spending)),

  giveBack: (what: string, now: string): Promise<boolean> =>
    db.transaction().execute((transaction) => giveBackCredits(transaction, what, now)),

  /** Newest first, after the given one, with the balance and the number of all, as they are at one moment. */
  page: (
    accountId: string,
    { limit, after }: { readonly limit: number; readonly after?: Position },
  ): Promise<{ balance: number; count: number; entries: CreditEntryRow[] }> =>
    db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (transaction) => {
        let query = transaction.selectFrom('credit_entry').selectAll().where('account_id', '=', accountId)
        if (after !== undefined) query = query.where(comesAfter('created_at', after))
        const entries = await query.orderBy('created_at', 'desc').orderBy('id').limit(limit).execute()
        const { count } = await transaction
          .selectFrom('credit_entry')
          .select((build) => build.fn.countAll<number | string>().as('count'))
          .where('account_id', '=', accountId)
          .executeTakeFirstOrThrow()
        return { balance: await sumOf(transaction, 'account_id', accountId), count: Number(count), entries }
      }),
})

export type CreditStore = ReturnType<typeof createCreditStore>
