// The credits of an account, on the wire.

import { z } from 'zod'
import { pageOf, pageQuery } from './page.ts'

export const creditReasons = ['purchase', 'refund', 'spend', 'give_back'] as const
export type CreditReason = (typeof creditReasons)[number]

export const CreditEntry = z
  .object({
    id: z.string().describe('The entry.'),
    amount: z.int().describe('How many credits it adds; negative when it takes some.'),
    reason: z
      .enum(creditReasons)
      .describe('`purchase` and `refund` of a pack, `spend` on the start of a sandbox, `give_back` when that start failed.'),
    checkout_id: z.string().optional().describe('The checkout session of a `purchase` or a `refund`.'),
    created_at: z.iso.datetime().describe('When it was added.'),
  })
  .meta({ id: 'CreditEntry' })
export type CreditEntry = z.infer<typeof CreditEntry>

export const CreditQuery = z.strictObject(pageQuery)
export type CreditQuery = z.infer<typeof CreditQuery>

export const CreditBalance = pageOf(CreditEntry)
  .extend({ balance: z.int().describe('The sum of all entries. Negative when credits were spent that were refunded later.') })
  .meta({ id: 'CreditBalance' })
export type CreditBalance = z.infer<typeof CreditBalance>
