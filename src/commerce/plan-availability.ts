// How many there are left of plans that are limited in number.

import type { OfferedPlan, Plan } from '../contract/offers.ts'
import type { SettlementStore } from '../store/settlements.ts'
import type { Offers } from './offers.ts'

export interface PlanAvailabilityDeps {
  readonly store: Pick<SettlementStore, 'countHeld'>
  readonly offers: Pick<Offers, 'limited'>
  /** Expires what is overdue. */
  readonly expire: () => Promise<void>
}

/** By the id of the plan; one that is held by an open checkout is not left. */
export const createPlanAvailability =
  ({ store, offers, expire }: PlanAvailabilityDeps) =>
  async (): Promise<ReadonlyMap<string, number>> => {
    const count = async () =>
      new Map(
        await Promise.all(offers.limited().map(async ({ id, limit }) => [id, Math.max(0, limit - (await store.countHeld(id)))] as const)),
      )
    const left = await count()
    if (![...left.values()].includes(0)) return left
    await expire() // before somebody is told that there is none
    return count()
  }

/** The plans with how many of each are left. */
export const createOfferedPlans =
  ({ plans, availability }: { readonly plans: readonly Plan[]; readonly availability: ReturnType<typeof createPlanAvailability> }) =>
  async (): Promise<OfferedPlan[]> => {
    if (plans.length === 0) return []
    const left = await availability()
    return plans.map((plan) => ({ ...plan, left: left.get(plan.id) ?? null }))
  }
