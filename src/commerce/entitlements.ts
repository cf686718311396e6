// Which plan an account has now.

import type { Clock } from '../clock.ts'
import type { EntitlementStore } from '../store/entitlements.ts'

export interface Entitlement {
  readonly planId: string
  readonly startsAt: string
  /** Null when it does not end. */
  readonly endsAt: string | null
}

export const createEntitlements = ({ store, clock }: { readonly store: EntitlementStore; readonly clock: Clock }) => ({
  /** The one that lasts longest, or null. */
  of: async (accountId: string): Promise<Entitlement | null> => {
    const active = await store.listActive(accountId, clock.now().toISOString())
    const [longest] = active.toSorted((one, other) => {
      if (one.ends_at === null || other.ends_at === null) return Number(one.ends_at !== null) - Number(other.ends_at !== null)
      return one.ends_at > other.ends_at ? -1 : 1
    })
    return longest === undefined ? null : { planId: longest.plan_id, startsAt: longest.starts_at, endsAt: longest.ends_at }
  },
})

export type Entitlements = ReturnType<typeof createEntitlements>
