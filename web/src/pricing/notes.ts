// What a reader should know of plans and subscriptions, in words. Pure.

import type { Me } from '../../../src/contract/account.ts'
import type { Subscription } from '../../../src/contract/billing.ts'
import type { OfferedPlan } from '../../../src/contract/offers.ts'
import type { PublicSettings } from '../../../src/contract/public-settings.ts'
import { day } from '../words.ts'

/** Beside that it is paid; null where there is nothing to say. */
export const subscriptionNote = ({ name, state, paid_until, ends_at, plan_id }: Subscription, plan: string | null): string | null => {
  const goesOn = `goes on after ${day(paid_until)} unless you have ended it: end it under Invoices and subscription`
  if (state === 'refunded') return `The payment for ${name} was refunded or disputed, but its subscription ${goesOn}.`
  if (state === 'past_due' && plan !== plan_id)
    return `The last renewal of ${name} failed, and the plan has ended. It comes back if the payment succeeds.`
  if (state === 'past_due')
    return `The last renewal of ${name} failed. The plan stays until ${day(ends_at ?? paid_until)}, and longer if the payment succeeds by then.`
  if (plan !== null && plan !== plan_id) return `You also pay for ${name} every month, which ${goesOn}.`
  return null
}

export const planText = (
  { plan, plan_ends_at }: Pick<Me, 'plan' | 'plan_ends_at'>,
  plans: readonly { readonly id: string; readonly name: string }[],
  subscriptions: readonly Subscription[],
): string => {
  if (plan === null) return 'You have no plan.'
  const name = plans.find(({ id }) => id === plan)?.name ?? plan
  const renews = subscriptions.find(({ plan_id, state }) => plan_id === plan && state === 'active')
  if (renews !== undefined) return `You have ${name}, paid until ${day(renews.paid_until)}.`
  return `You have ${name}${plan_ends_at === null ? ', without an end' : ` until ${day(plan_ends_at)}`}.`
}

export const benefitsOf = ({ limits, requires_plan }: Pick<PublicSettings, 'limits' | 'requires_plan'>): string[] => {
  const { sandboxes_per_account: own, sandboxes_per_account_with_plan: more } = limits
  const { sandbox_longest_minutes: usual, sandbox_longest_minutes_with_plan: longest } = limits
  return [
    ...(requires_plan ? ['Every start is included'] : []),
    `${Math.max(own, more)} sandboxes at once, ${own} without a plan`,
    `A sandbox lives up to ${Math.max(usual, longest)} minutes, ${usual} without a plan`,
    'All incidents, and large clusters',
  ]
}

export type Offer = 'has' | 'sold_out' | 'covered' | 'buy'

/** Whether the reader can buy a plan. `covered`: a plan without an end, or a subscription of this one that goes on. */
export const offerOf = (plan: OfferedPlan, me: Pick<Me, 'plan' | 'plan_ends_at'> | null, subscriptions: readonly Subscription[]): Offer => {
  if (me !== null && me.plan === plan.id) return 'has'
  if (me !== null && me.plan !== null && me.plan_ends_at === null) return 'covered'
  if (subscriptions.some(({ plan_id }) => plan_id === plan.id)) return 'covered'
  return plan.left === 0 ? 'sold_out' : 'buy'
}
