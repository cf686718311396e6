import { describe, expect, it } from 'vitest'
import type { SandboxOverview } from '../../../src/contract/operator.ts'
import { ageOf, holderOf, stateOf } from './sandbox-words.ts'

const sandbox = (more: Partial<SandboxOverview> = {}): SandboxOverview => ({
  ...{ id: 's', course_id: 'scenario-01', status: 'running', account_id: 'a1', account_name: 'Ada', pool_state: null, node: 'n' },
  ...{ created_at: '2026-01-02T03:00:00.000Z', expires_at: '2026-01-02T04:00:00.000Z' },
  ...more,
})

describe('a sandbox in words', () => {
  it('names who has it', () => {
    expect(holderOf(sandbox())).toBe('Ada (a1)')
    expect(holderOf(sandbox({ account_name: null }))).toBe('a1')
    expect(holderOf(sandbox({ account_id: null, account_name: null }))).toBe('anonymous')
    expect(holderOf(sandbox({ account_id: null, account_name: null, pool_state: 'warm' }))).toBe('nobody yet')
  })

  it('tells its state and age', () => {
    expect([stateOf(sandbox({ status: 'completed' })), stateOf(sandbox({ pool_state: 'warming', status: 'starting' }))]).toEqual([
      ...['repaired', 'being built for the pool'],
    ])
    expect(ageOf(sandbox(), Date.parse('2026-01-02T03:01:30.000Z'))).toBe(90)
    expect(ageOf(sandbox(), Date.parse('2026-01-02T02:00:00.000Z'))).toBe(0)
  })
})
