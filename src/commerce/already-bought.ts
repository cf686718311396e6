// Nobody pays twice for the same plan.

import { LabError } from '../errors.ts'
import type { Entitlements } from './entitlements.ts'
import type { Subscriptions } from './subscriptions.ts'

export interface AlreadyBoughtDeps {
  readonly entitlements: Pick<Entitlements, 'listOf'>
  readonly subscriptions: Subscriptions
}

/** Throws already_bought for a plan that the account has, or goes on to pay for. */
export const createRequireNotBought =
  ({ entitlements, subscriptions }: AlreadyBoughtDeps) =>
  async (accountId: string, planId: string): Promise<void> => {
    const owned = (await entitlements.listOf(accountId)).find((entitlement) => entitlement.planId === planId)
    if (owned !== undefined) {
      throw new LabError('already_bought', `the account has ${planId} already${owned.endsAt === null ? '' : `, until ${owned.endsAt}`}`, {
        hint: 'nothing has to be paid; GET /auth/me shows the plan',
      })
    }
    if (!(await subscriptions.of(accountId)).some((subscription) => subscription.planId === planId)) return
    throw new LabError('already_bought', `the account has a subscription of ${planId} already, which goes on to be charged`, {
      hint: 'the pricing page leads to Invoices and subscription: pay the last invoice there, or end the subscription first',
    })
  }
