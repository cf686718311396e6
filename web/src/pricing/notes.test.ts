import { describe, expect, it } from 'vitest'
import type { Subscription } from '../../../src/contract/billing.ts'
import type { OfferedPlan } from '../../../src/contract/offers.ts'
import { offerOf, planText, subscriptionNote } from './notes.ts'

const pro: Subscription = {
  ...{
    checkout_id: 'c',
    plan_id: 'pro',
    name: 'Pro',
    state: 'active',
    paid_until: '2026-03-01T12:00:00.000Z',
    ends_at: '2026-03-04T12:00:00.000Z',
  },
}
const plan = (more: Partial<OfferedPlan> = {}): OfferedPlan => ({
  ...{ id: 'pro', name: 'Pro', amount: 2900, currency: 'usd', interval: 'month', left: null },
  ...more,
})

describe('a subscription', () => {
  it.each([
    ['is not mentioned while all is well', pro, 'pro', null],
    ['goes on beside another plan', pro, 'pass', /^You also pay for Pro every month, which goes on after/],
    ['was not renewed', { ...pro, state: 'past_due' as const }, 'pro', /The plan stays until Mar 4, 2026/],
    ['was not renewed, and its plan has ended', { ...pro, state: 'past_due' as const }, null, /the plan has ended/],
    ['was refunded, but goes on', { ...pro, state: 'refunded' as const }, null, /was refunded or disputed, but its subscription goes on/],
  ] as const)('%s', (_what, subscription, has, expected) => {
    const note = subscriptionNote(subscription, has)
    if (expected === null) expect(note).toBeNull()
    else expect(note).toMatch(expected)
  })
})

describe('a plan', () => {
  const nobody = { plan: null, plan_ends_at: null }
  it('is told with its end', () => {
    expect(planText(nobody, [plan()], [])).toBe('You have no plan.')
    expect(planText({ plan: 'pro', plan_ends_at: '2026-03-04T12:00:00.000Z' }, [plan()], [pro])).toBe(
      'You have Pro, paid until Mar 1, 2026.',
    )
    expect(planText({ plan: 'pro', plan_ends_at: '2026-03-04T12:00:00.000Z' }, [plan()], [])).toBe('You have Pro until Mar 4, 2026.')
    expect(planText({ plan: 'old', plan_ends_at: null }, [plan()], [])).toBe('You have old, without an end.')
  })

  it('is offered to those who can buy it', () => {
    expect(offerOf(plan(), null, [])).toBe('buy')
    expect(offerOf(plan({ left: 0 }), nobody, [])).toBe('sold_out')
    expect(offerOf(plan(), { plan: 'pro', plan_ends_at: null }, [])).toBe('has')
    expect(offerOf(plan(), { plan: 'pass', plan_ends_at: null }, [])).toBe('covered')
    expect(offerOf(plan(), nobody, [pro])).toBe('covered')
  })
})
