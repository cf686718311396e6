import { describe, expect, it } from 'vitest'
import type { ChargeState } from '../../store/start-charges.ts'
import { verdictOn } from './charges.ts'

const state = (more: Partial<ChargeState>): ChargeState => ({
  ...{ what: 'start 1', hasJob: false, isQueued: false, job: null, sandbox: null },
  ...more,
})
const sandbox = (status: 'starting' | 'running' | 'completed' | 'terminated', baseline: string | null, isInOpenBatch = false) => ({
  status,
  baseline,
  isInOpenBatch,
})

describe('what a start has cost', () => {
  it.each([
    ['is open while the sandbox starts', state({ sandbox: sandbox('starting', null) }), 'wait'],
    ['is open while it runs, because a warm one may have to be built again', state({ sandbox: sandbox('running', '{}') }), 'wait'],
    ['stands once a sandbox has ended that ran', state({ sandbox: sandbox('terminated', '{}') }), 'stands'],
    ['is open as long as its batch may be undone', state({ sandbox: sandbox('terminated', '{}', true) }), 'wait'],
    ['is given back when it never ran', state({ sandbox: sandbox('terminated', null) }), 'give_back'],
    ['is given back when it was undone', state({}), 'give_back'],
    ['is open while it is queued', state({ hasJob: true, isQueued: true, job: { cancelled_at: null } }), 'wait'],
    ['is given back when it was cancelled', state({ hasJob: true, isQueued: true, job: { cancelled_at: 'now' } }), 'give_back'],
    ['is given back when the queued start was undone', state({ hasJob: true, isQueued: true }), 'give_back'],
    [
      'follows the sandbox of the job',
      state({ hasJob: true, job: { cancelled_at: null }, sandbox: sandbox('terminated', '{}') }),
      'stands',
    ],
  ] as const)('%s', (_, given, expected) => expect(verdictOn(given)).toBe(expected))
})
