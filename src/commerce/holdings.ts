// What an account has bought, as its owner sees it.

import type { Me } from '../contract/account.ts'
import type { Credits } from './credits.ts'
import type { Entitlements } from './entitlements.ts'

export interface HoldingsDeps {
  readonly entitlements: Pick<Entitlements, 'of'>
  readonly credits: Pick<Credits, 'balance'>
  /** False where nothing can be bought and nothing costs credits. */
  readonly counts: boolean
}

export type Holdings = Pick<Me, 'plan' | 'plan_ends_at' | 'credits'>

export const createHoldings =
  ({ entitlements, credits, counts }: HoldingsDeps) =>
  async (accountId: string): Promise<Holdings> => {
    if (!counts) return { plan: null, plan_ends_at: null, credits: null }
    const [entitlement, balance] = await Promise.all([entitlements.of(accountId), credits.balance(accountId)])
    return { plan: entitlement?.planId ?? null, plan_ends_at: entitlement?.endsAt ?? null, credits: balance }
  }
