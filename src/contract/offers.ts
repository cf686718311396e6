// Plans and credit packs, on the wire and in content/.

import { z } from 'zod'

export const offerId = z.string().regex(/^[a-z0-9_]+$/)
const id = offerId.describe('By which it is asked for.')
const name = z.string().describe('What people call it.')
const money = {
  amount: z.int().min(0).describe('In the smallest unit of the currency.'),
  currency: z
    .string()
    .regex(/^[a-z]{3}$/)
    .describe('ISO 4217, in lower case.'),
}

export const Plan = z
  .object({
    id,
    name,
    ...money,
    interval: z.enum(['month', 'once']).describe('How often it is paid.'),
    limit: z.int().min(1).optional().describe('How many are sold in all; without it, as many as are wanted.'),
  })
  .meta({ id: 'Plan' })
export type Plan = z.infer<typeof Plan>

export const OfferedPlan = Plan.extend({
  left: z
    .int()
    .nullable()
    .describe('How many can still be bought; null where there is no limit. One that an open checkout holds is not left.'),
}).meta({ id: 'OfferedPlan' })
export type OfferedPlan = z.infer<typeof OfferedPlan>

export const PlanList = z
  .object({ items: z.array(OfferedPlan).describe('In the order in which they are shown. Empty where nothing can be bought.') })
  .meta({ id: 'PlanList' })

export const CreditPack = z
  .object({ id, name, credits: z.int().min(1).describe('How many credits are in it.'), ...money })
  .meta({ id: 'CreditPack' })
export type CreditPack = z.infer<typeof CreditPack>

export const CreditPackList = z.object({ items: z.array(CreditPack).describe('All of them.') }).meta({ id: 'CreditPackList' })

/** content/plans.yaml and content/credit-packs.yaml */
export const PlanFile = z.strictObject({
  plans: z.array(z.strictObject(Plan.shape)).min(1).describe('The plans, in the order in which they are shown.'),
})
export const CreditPackFile = z.strictObject({
  packs: z.array(z.strictObject(CreditPack.shape)).min(1).describe('The packs, in the order in which they are shown.'),
})
