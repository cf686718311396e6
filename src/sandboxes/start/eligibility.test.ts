import { describe, expect, it } from 'vitest'
import type { Caller } from '../../accounts/caller.ts'
import { requireEligible } from './eligibility.ts'

const account = (role: 'operator' | 'member'): Caller => ({ kind: 'account', accountId: 'a', role })
const stranger: Caller = { kind: 'anonymous', address: '192.0.2.1' }
const course = (extra: object = {}) =>
  ({ id: 'c', kind: 'incident', cluster: 'standard', requires_account: false, ...extra }) as Parameters<typeof requireEligible>[1]
const ask = { course_id: 'c' }

describe('a start', () => {
  it('of a standard course is anybody’s', () => {
    for (const caller of [account('operator'), account('member'), stranger])
      expect(() => requireEligible(caller, course(), ask)).not.toThrow()
  })

  it('of a track is nobody’s', () => {
    for (const caller of [account('operator'), stranger]) {
      expect(() => requireEligible(caller, course({ kind: 'track' }), ask)).toThrow(
        expect.objectContaining({ code: 'course_not_startable' }),
      )
    }
  })

  it('of a course with extra capabilities needs an account', () => {
    const strong = course({ requires_account: true })
    for (const caller of [account('operator'), account('member')]) expect(() => requireEligible(caller, strong, ask)).not.toThrow()
    expect(() => requireEligible(stranger, strong, ask)).toThrow(expect.objectContaining({ code: 'account_required' }))
  })

  it('of a large cluster, or with a seed, is an operator’s', () => {
    for (const [wanted, request] of [
      [course({ cluster: 'large' }), ask],
      [course(), { ...ask, seed: 's' }],
    ] as const) {
      expect(() => requireEligible(account('operator'), wanted, request)).not.toThrow()
      for (const caller of [account('member'), stranger]) {
        expect(() => requireEligible(caller, wanted, request)).toThrow(expect.objectContaining({ code: 'forbidden' }))
      }
    }
  })
})
