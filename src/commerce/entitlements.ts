// Which plan an account has now.

import type { Clock } from '../clock.ts'
import type { EntitlementStore } from '../store/entitlements.ts'

export interface Entitlement {
  readonly planId: string
  readonly startsAt: string
  /** Null when it does not end. */
  readonly endsAt: string | null
}

export const createEntitlements = ({ store, clock }: { readonly store: EntitlementStore; readonly clock: Clock }) => {
  const listOf = async (accountId: string): Promise<Entitlement[]> => {
    const active = await store.listActive(accountId, clock.now().toISOString())
    const sorted = active.toSorted((one, other) => {
      if (one.ends_at === null || other.ends_at === null) return Number(one.ends_at !== null) - Number(other.ends_at !== null)
      return one.ends_at > other.ends_at ? -1 : 1
    })
    return sorted.map(({ plan_id, starts_at, ends_at }) => ({ planId: plan_id, startsAt: starts_at, endsAt: ends_at }))
  }

  return {
    /** The one that lasts longest, or null. */
    of: async (accountId: string): Promise<Entitlement | null> => (await listOf(accountId))[0] ?? null,

    /** All that it has now; those that last longest come first. */
    listOf,
  }
}

export type Entitlements = ReturnType<typeof createEntitlements>
