// What a lab says of itself.

import { expect, it } from 'vitest'
import type { SandboxState } from '../../../src/contract/event.ts'
import { unknownLab } from './lab-state.ts'
import { statusWords } from './status-words.ts'

const sandbox: SandboxState = {
  ...{ id: 'a', course_id: 'scenario-01', status: 'running', containers: ['ops'], warnings: [], evaluations_left: 1 },
  ...{ created_at: '2026-01-01T10:00:00Z', expires_at: '2026-01-01T10:30:00Z' },
}
const idle = { isGrading: false, waits: null }
const known = { ...unknownLab, sandbox }
const record = {
  ...{ id: 'e', sandbox_id: 'a', course_id: 'c', passed: false, score: 45, checkpoints: [], hints_used: 0, assisted: false },
  ...{ started_at: '2026-01-01T10:00:00Z', elapsed_seconds: 60, duration_ms: 1 },
}

it('says how the lab stands', () => {
  expect(statusWords(unknownLab, idle)).toBe('The machines are being built.')
  expect(statusWords(known, idle)).toBe('It runs, and it is broken. Not graded yet, 1 evaluation left.')
  expect(statusWords({ ...known, evaluation: record }, idle)).toBe('Not repaired yet: 45 of 100 points, 1 evaluation left.')
  expect(statusWords({ ...known, evaluation: { ...record, passed: true, score: 100 } }, idle)).toBe('It is repaired: 100 of 100 points.')
})

it('says what is being done', () => {
  expect(statusWords(known, { isGrading: true, waits: null })).toBe('Grading begins.')
  expect(statusWords(known, { isGrading: true, waits: 8 })).toContain('in 8 seconds')
  const grading = { started_at: '2026-01-01T10:00:00Z', attempt: 1, steps: [] }
  expect(statusWords({ ...known, grading }, idle)).toBe('Grading: 0 of 7 steps are decided.')
  expect(statusWords({ ...known, grading: { ...grading, attempt: 2 } }, idle)).toContain('once more')
})

it('says why it has ended, whatever was before', () => {
  const end = { termination_reason: 'expired', message: 'the sandbox has ended: its time was over' } as const
  expect(statusWords({ ...known, evaluation: record, end }, idle)).toBe('The sandbox has ended: its time was over.')
})
