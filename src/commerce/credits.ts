// The credits of an account: the balance and the entries of the ledger. Spending is part of the start of a sandbox.

import type { Clock } from '../clock.ts'
import type { CreditBalance, CreditQuery } from '../contract/credits.ts'
import type { Cursors } from '../cursor.ts'
import type { CreditStore } from '../store/credits.ts'

export interface CreditsDeps {
  readonly store: CreditStore
  readonly clock: Clock
  readonly cursors: Cursors
}

export const createCredits = ({ store, clock, cursors }: CreditsDeps) => ({
  balance: (accountId: string): Promise<number> => store.balance(accountId),

  /** Newest first. */
  page: async (accountId: string, { limit, cursor }: CreditQuery): Promise<CreditBalance> => {
    const scope = ['credits', accountId] as const
    const after = cursor === undefined ? undefined : (cursors.read(scope, cursor) as [string, string])
    const { balance, count, entries } = await store.page(accountId, { limit: limit + 1, ...(after === undefined ? {} : { after }) })
    const { items, ...page } = cursors.page(scope, entries, limit, ({ created_at, id }) => [created_at, id])
    return {
      balance,
      items: items.map(({ id, amount, reason, checkout_id, created_at }) => ({
        ...{ id, amount, reason, created_at },
        ...(checkout_id === null ? {} : { checkout_id }),
      })),
      ...page,
      total_count: count,
    }
  },

  /** Returns what a start has spent, once. False when it had spent nothing, or it was returned before. */
  giveBack: (spent: string): Promise<boolean> => store.giveBack(spent, clock.now().toISOString()),
})

export type Credits = ReturnType<typeof createCredits>
