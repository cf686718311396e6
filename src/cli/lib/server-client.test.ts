import { describe, expect, it } from 'vitest'
import type { SandboxSession } from '../../contract/sandbox.ts'
import { findSandbox } from './server-client.ts'

const sandbox = (id: string, course_id: string): SandboxSession => ({
  ...{ session_id: `${id}.x`, id, course_id, status: 'running', containers: ['ops'], evaluations_left: 20, warnings: [] },
  ...{ created_at: '2026-11-18T10:00:00.000Z', expires_at: '2026-11-18T11:00:00.000Z' },
})
const [one, two, three] = [sandbox('aaaa', 'scenario-01'), sandbox('bbbb', 'scenario-02'), sandbox('cccc', 'scenario-02')] as const

describe('a sandbox', () => {
  it('is named by its id, by its course, or not at all where there is one', () => {
    expect(findSandbox([one], undefined)).toBe(one)
    expect(findSandbox([one, two, three], 'bbbb')).toBe(two)
    expect(findSandbox([one, two, three], 'scenario-01')).toBe(one)
  })

  it('that is not clear is asked for, with those that are near', () => {
    expect(() => findSandbox([], undefined)).toThrow('you have no sandbox')
    expect(() => findSandbox([one, two], undefined)).toThrow('there are 2 sandboxes')
    expect(() => findSandbox([one, two, three], 'scenario-02')).toThrow('there are 2 sandboxes of scenario-02')
    expect(() => findSandbox([one], 'scenario-1')).toThrow('you have no sandbox scenario-1; did you mean scenario-01?')
    expect(() => findSandbox([{ ...one, status: 'terminated' }], 'aaaa')).toThrow('you have no sandbox')
  })
})
