// The pricing page as HTML: plans and credit packs, what the reader has of them, and buttons to buy. Works without scripts.

import type { Checkout, Subscription } from '../commerce/commerce.ts'
import type { Entitlement } from '../commerce/entitlements.ts'
import type { Limits } from '../configured-limits.ts'
import type { CreditPack, Plan } from '../contract/offers.ts'
import { checkoutPath } from './checkout-answers.ts'
import { signInThen } from './error-page.ts'
import { escapeHtml } from './html-page.ts'
import { formatMoney, formatPrice } from './money.ts'

export const pricingPath = '/pricing'
export const billingPath = `${pricingPath}/billing`

/** What a signed-in reader has. */
export interface Owned {
  readonly plan: Entitlement | null
  /** Those that go on to be charged. */
  readonly subscriptions: readonly Subscription[]
  /** Checkouts that can still be paid. */
  readonly open: readonly Checkout[]
  readonly credits: number
  /** Whether the provider knows the account as a customer. */
  readonly isCustomer: boolean
}

export interface Pricing {
  readonly plans: readonly Plan[]
  readonly packs: readonly CreditPack[]
  /** How many of a plan are left, by its id; only of those that are limited. */
  readonly left: ReadonlyMap<string, number>
  readonly limits: Pick<Limits, 'accountSandboxes' | 'proSandboxes' | 'longestMinutes' | 'proLongestMinutes'>
  readonly requiresPlan: boolean
  /** Whether the payments take no money. */
  readonly isTestMode: boolean
  /** Null where nobody is signed in. */
  readonly owned: Owned | null
}

const day = (time: string): string => `<time datetime="${escapeHtml(time)}">${escapeHtml(time.slice(0, 10))}</time>`

const buyButton = (field: 'plan_id' | 'pack_id', id: string, name: string, owned: Owned | null): string =>
  owned === null
    ? ''
    : `<form method="post" action="${pricingPath}"><input type="hidden" name="${field}" value="${escapeHtml(id)}"><button>Buy ${escapeHtml(name)}</button></form>`

const benefitsOf = ({ limits, requiresPlan }: Pricing): string => {
  const { accountSandboxes, proSandboxes, longestMinutes, proLongestMinutes } = limits
  const benefits = [
    ...(requiresPlan ? ['Every start is included'] : []),
    `${Math.max(accountSandboxes, proSandboxes)} sandboxes at once, ${accountSandboxes} without a plan`,
    `A sandbox lives up to ${Math.max(longestMinutes, proLongestMinutes)} minutes, ${longestMinutes} without a plan`,
    'All courses, and large clusters',
  ]
  return `<ul>${benefits.map((text) => `<li>${text}</li>`).join('')}</ul>`
}

const planCard = (pricing: Pricing, plan: Plan): string => {
  const { owned, left } = pricing
  const has = owned?.plan?.planId === plan.id
  const lasts = owned?.plan != null && owned.plan.endsAt === null
  const remaining = left.get(plan.id)
  const rest = remaining === undefined ? '' : `<p class="hint">${remaining === 0 ? 'Sold out' : `${remaining} of ${plan.limit} left`}</p>`
  const isPaidFor = owned?.subscriptions.some(({ planId }) => planId === plan.id) ?? false
  const buys = remaining !== 0 && !has && !lasts && !isPaidFor
  return `<li class="offer"><h3>${escapeHtml(plan.name)}</h3>
<p class="price">${escapeHtml(formatMoney(plan.amount, plan.currency))} <small>${plan.interval === 'month' ? 'a month' : 'once, for good'}</small></p>
${benefitsOf(pricing)}${rest}${has ? '<p class="hint">You have it</p>' : ''}${buys ? buyButton('plan_id', plan.id, plan.name, owned) : ''}</li>`
}

const packCard = (pack: CreditPack, owned: Owned | null): string => `<li class="offer"><h3>${escapeHtml(pack.name)}</h3>
<p class="price">${escapeHtml(formatMoney(pack.amount, pack.currency))} <small>${pack.credits} credits</small></p>
${buyButton('pack_id', pack.id, pack.name, owned)}</li>`

/** What the reader should know of a subscription, beside that it is paid. */
const subscriptionNote = ({ name, state, paidUntil, endsAt, planId }: Subscription, plan: Entitlement | null): string => {
  const called = escapeHtml(name)
  const endIt = 'end it under Invoices and subscription'
  const goesOn = `goes on after ${day(paidUntil)} unless you have ended it: ${endIt}`
  if (state === 'refunded') return `The payment for ${called} was refunded or disputed, but its subscription ${goesOn}.`
  if (state === 'past_due' && plan?.planId !== planId)
    return `The last renewal of ${called} failed, and the plan has ended. It comes back if the payment succeeds.`
  if (state === 'past_due')
    return `The last renewal of ${called} failed. The plan stays until ${day(endsAt ?? paidUntil)}, and longer if the payment succeeds by then.`
  if (plan !== null && plan.planId !== planId) return `You also pay for ${called} every month, which ${goesOn}.`
  return ''
}

const notesOf = ({ subscriptions, plan }: Owned): string =>
  subscriptions
    .map((subscription) => subscriptionNote(subscription, plan))
    .filter((note) => note !== '')
    .map((note) => `<p class="note" role="status">${note}</p>`)
    .join('')

const openOnes = ({ open }: Owned): string =>
  open.length === 0
    ? ''
    : `<h2>Not paid yet</h2><ul>${open
        .map((one) => `<li><a href="${checkoutPath(one.id)}">${escapeHtml(one.name)}, ${escapeHtml(formatPrice(one))}</a></li>`)
        .join('')}</ul>`

const planText = ({ plans }: Pricing, { plan, subscriptions }: Owned): string => {
  if (plan === null) return 'You have no plan'
  const name = plans.find(({ id }) => id === plan.planId)?.name ?? plan.planId
  const renews = subscriptions.find(({ planId, state }) => planId === plan.planId && state === 'active')
  if (renews !== undefined) return `You have <strong>${escapeHtml(name)}</strong>, paid until ${day(renews.paidUntil)}`
  return `You have <strong>${escapeHtml(name)}</strong>${plan.endsAt === null ? ', without an end' : ` until ${day(plan.endsAt)}`}`
}

const ownedText = (pricing: Pricing): string => {
  const { owned } = pricing
  if (owned === null) return `<p><a class="way" href="${signInThen(pricingPath)}">Sign in to buy</a></p>`
  const credits = `${owned.credits} ${owned.credits === 1 ? 'credit' : 'credits'}`
  const owes = owned.credits < 0 ? '<p class="hint">Credits were refunded that had been spent: starts need a balance above zero.</p>' : ''
  const billing = owned.isCustomer
    ? `<form method="post" action="${billingPath}"><button class="plain">Invoices and subscription</button></form>`
    : ''
  const has = `<p>${planText(pricing, owned)}${pricing.requiresPlan || owned.credits !== 0 ? `, and ${credits}` : ''}.</p>`
  return `${has}${owes}${notesOf(owned)}${billing}${openOnes(owned)}`
}

/** Only where they are good for something. */
const packsText = ({ packs, owned }: Pricing): string => `<h2>Credits</h2>
<p class="hint">Without a plan, each start of a sandbox costs one credit. A start that fails costs nothing.</p>
<ul class="offers">${packs.map((pack) => packCard(pack, owned)).join('')}</ul>`

export const testModeNote = '<p class="note">Test mode: this installation takes no real payments, no money moves.</p>'

export const pricingBody = (pricing: Pricing): string => `${pricing.isTestMode ? testModeNote : ''}${ownedText(pricing)}
<h2>Plans</h2><ul class="offers">${pricing.plans.map((plan) => planCard(pricing, plan)).join('')}</ul>
${pricing.requiresPlan ? packsText(pricing) : ''}`
