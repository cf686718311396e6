import { describe, expect, it } from 'vitest'
import type { Capacity } from '../../../src/contract/capacity.ts'
import { refusalOf, roomText } from './start-state.ts'

const course = { access: 'free', cluster: 'standard', requires_account: false } as const
const me = { plan: null, credits: null, role: 'member' } as const
const limits = { sandboxes_per_anonymous_address: 1 }
const rules = { extra_capabilities: true, payments: 'off', requires_plan: false, limits } as const

describe('a start', () => {
  it('needs an account for what an agent needs one for, and else none', () => {
    expect(refusalOf(course, null, rules)).toBeNull()
    expect(refusalOf(course, me, rules)).toBeNull()
    expect(refusalOf({ ...course, requires_account: true }, null, rules)).toBe('sign_in')
    expect(refusalOf({ ...course, cluster: 'large' }, null, rules)).toBe('sign_in')
    expect(refusalOf({ ...course, access: 'pro' }, null, { ...rules, payments: 'local' })).toBe('sign_in')
    expect(refusalOf(course, null, { ...rules, requires_plan: true })).toBe('sign_in')
    expect(refusalOf(course, null, { ...rules, limits: { sandboxes_per_anonymous_address: 0 } })).toBe('sign_in')
  })

  it('needs an engine that confines capabilities, where the course has some', () => {
    const special = { ...course, requires_account: true }
    expect(refusalOf(special, me, { ...rules, extra_capabilities: false })).toBe('engine')
    expect(refusalOf(special, me, rules)).toBeNull()
  })

  it('needs a plan for some, where plans are sold', () => {
    const pro = { ...course, access: 'pro' } as const
    expect(refusalOf(pro, me, rules)).toBeNull()
    expect(refusalOf(pro, me, { ...rules, payments: 'local' })).toBe('plan')
    expect(refusalOf(pro, { ...me, plan: 'pro_monthly' }, { ...rules, payments: 'local' })).toBeNull()
  })

  it('needs a credit, where each start costs one', () => {
    const paid = { ...rules, payments: 'local', requires_plan: true } as const
    expect(refusalOf(course, { ...me, credits: 0 }, paid)).toBe('credits')
    expect(refusalOf(course, { ...me, credits: 1 }, paid)).toBeNull()
  })
})

describe('room', () => {
  const capacity: Capacity = {
    ...{ status: 'available', total: 10, in_use: 2, available: 8, warm: { a: 1 }, updated_at: '2026-01-01T00:00:00.000Z' },
    queue: { length: 0, max: 50, estimated_wait_seconds: 0 },
  }
  it('is told in words', () => {
    expect(roomText(capacity, 'a')).toBe('8 places free. One is built already and starts at once.')
    expect(roomText({ ...capacity, available: 1 }, 'b')).toBe('1 place free. It takes some seconds to build.')
    const busy = { ...capacity, status: 'busy', queue: { length: 2, max: 50, estimated_wait_seconds: 240 } } as const
    expect(roomText(busy, 'a')).toBe('All places are taken. You would be number 3 in the queue, about 4 minutes.')
    expect(roomText({ ...busy, queue: { ...busy.queue, estimated_wait_seconds: null } }, 'a')).toBe(
      'All places are taken. You would be number 3 in the queue.',
    )
    expect(roomText({ ...busy, status: 'full' }, 'a')).toMatch(/^All places are taken, and 2 starts wait/)
  })
})
