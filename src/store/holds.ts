// How many of an offer that is limited in number are held: by open checkouts, and by paid ones. Taking one needs the lock on payments.

import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** Whether another one may be held. Only under the lock on payments, which everybody takes who takes one. */
export const isOneLeft = async (transaction: Kysely<Tables>, offerId: string, limit: number): Promise<boolean> =>
  (await countHeld(transaction, offerId)) < limit

export const countHeld = async (on: Kysely<Tables>, offerId: string): Promise<number> => {
  const row = await on
    .selectFrom('checkout')
    .select((build) => build.fn.countAll<number | string>().as('count'))
    .where('offer_kind', '=', 'plan')
    .where('offer_id', '=', offerId)
    .where('hold', '=', 'held')
    .executeTakeFirstOrThrow()
  return Number(row.count)
}
