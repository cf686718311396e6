// What can be bought: the plans and credit packs of content/.

import type { CreditPack, Plan } from '../contract/offers.ts'
import { invalidField } from '../validation-messages.ts'

export interface Offer {
  readonly kind: 'plan' | 'pack'
  readonly id: string
  readonly name: string
  readonly amount: number
  readonly currency: string
  readonly interval: 'month' | 'once'
  /** 0 for a plan. */
  readonly credits: number
  /** How many are sold in all; null for as many as are wanted. */
  readonly limit: number | null
}

export interface Content {
  readonly plans: readonly Plan[]
  readonly creditPacks: readonly CreditPack[]
}

export const createOffers = ({ plans, creditPacks }: Content) => {
  const findPlan = (id: string) => plans.find((plan) => plan.id === id)

  return {
    /** Throws invalid_request when there is no such offer. */
    find: (wanted: { readonly plan_id: string } | { readonly pack_id: string }): Offer => {
      if ('plan_id' in wanted) {
        const plan = findPlan(wanted.plan_id)
        if (plan === undefined) throw invalidField('plan_id', 'is not a plan', { hint: 'GET /settings/public lists the plans' })
        return { ...plan, kind: 'plan', credits: 0, limit: plan.limit ?? null }
      }
      const pack = creditPacks.find(({ id }) => id === wanted.pack_id)
      if (pack === undefined) throw invalidField('pack_id', 'is not a credit pack', { hint: 'GET /credits/packs lists the packs' })
      return { ...pack, kind: 'pack', interval: 'once', limit: null }
    },

    /** How many of a plan are sold in all; null for as many as are wanted. */
    limitOf: (planId: string): number | null => findPlan(planId)?.limit ?? null,

    /** The plans that are limited in number. */
    limited: (): readonly { readonly id: string; readonly limit: number }[] =>
      plans.flatMap(({ id, limit }) => (limit === undefined ? [] : [{ id, limit }])),
  }
}

export type Offers = ReturnType<typeof createOffers>
