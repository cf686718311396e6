import { describe, expect, it } from 'vitest'
import type { Caller } from '../../accounts/caller.ts'
import { type Allowed, requireEligible } from './eligibility.ts'

const account = (role: 'operator' | 'member'): Caller => ({ kind: 'account', accountId: 'a', role })
const stranger: Caller = { kind: 'anonymous', address: '192.0.2.1' }
const course = (extra: object = {}) =>
  ({ id: 'c', kind: 'incident', access: 'free', cluster: 'standard', requires_account: false, ...extra }) as Parameters<
    typeof requireEligible
  >[2]
const ask = { course_id: 'c' }
/** Where no plans are sold. */
const unsold = (caller: Caller): Allowed => ({
  proCourses: 'allowed',
  largeClusters: caller.kind === 'account' && caller.role === 'operator' ? 'allowed' : 'refused',
  startCostsCredit: false,
})
const startOf = (caller: Caller, wanted: ReturnType<typeof course>, request: { course_id: string; seed?: string } = ask) =>
  requireEligible(caller, unsold(caller), wanted, request)

describe('a start', () => {
  it('of a standard course is anybody’s', () => {
    for (const caller of [account('operator'), account('member'), stranger]) expect(() => startOf(caller, course())).not.toThrow()
  })

  it('of a track is nobody’s', () => {
    for (const caller of [account('operator'), stranger]) {
      expect(() => startOf(caller, course({ kind: 'track' }))).toThrow(expect.objectContaining({ code: 'course_not_startable' }))
    }
  })

  it('of a course with extra capabilities needs an account', () => {
    const strong = course({ requires_account: true })
    for (const caller of [account('operator'), account('member')]) expect(() => startOf(caller, strong)).not.toThrow()
    expect(() => startOf(stranger, strong)).toThrow(expect.objectContaining({ code: 'account_required' }))
  })

  it('of a large cluster, or with a seed, is an operator’s', () => {
    for (const [wanted, request] of [
      [course({ cluster: 'large' }), ask],
      [course(), { ...ask, seed: 's' }],
    ] as const) {
      expect(() => startOf(account('operator'), wanted, request)).not.toThrow()
      for (const caller of [account('member'), stranger]) {
        expect(() => startOf(caller, wanted, request)).toThrow(expect.objectContaining({ code: 'forbidden' }))
      }
    }
  })

  it('of what belongs to a plan needs one where plans are sold', () => {
    const member = account('member')
    const without: Allowed = { proCourses: 'for_sale', largeClusters: 'for_sale', startCostsCredit: false }
    const withPlan: Allowed = { proCourses: 'allowed', largeClusters: 'allowed', startCostsCredit: false }
    for (const wanted of [course({ access: 'pro' }), course({ cluster: 'large' })]) {
      expect(() => requireEligible(member, without, wanted, ask)).toThrow(expect.objectContaining({ code: 'plan_required' }))
      expect(() => requireEligible(member, withPlan, wanted, ask)).not.toThrow()
    }
    expect(() => startOf(member, course({ access: 'pro' }))).not.toThrow()
  })

  it('that costs a credit is no stranger’s', () => {
    const costly: Allowed = { proCourses: 'allowed', largeClusters: 'refused', startCostsCredit: true }
    expect(() => requireEligible(stranger, costly, course(), ask)).toThrow(expect.objectContaining({ code: 'plan_required' }))
    expect(() => requireEligible(account('member'), costly, course(), ask)).not.toThrow()
  })
})
