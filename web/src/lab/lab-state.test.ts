// The state of a lab after its events.

import { describe, expect, it } from 'vitest'
import type { EvaluationRecord } from '../../../src/contract/evaluation.ts'
import type { ContainerState, SandboxEvent, SandboxState } from '../../../src/contract/event.ts'
import { afterEvent, isOver, unknownLab } from './lab-state.ts'

const sandbox: SandboxState = {
  ...{ id: 'a', course_id: 'scenario-01', status: 'running', containers: ['ops', 'web'], warnings: [], evaluations_left: 5 },
  ...{ created_at: '2026-01-01T10:00:00Z', expires_at: '2026-01-01T10:30:00Z' },
}
const web: ContainerState = { name: 'web', status: 'running', exit_code: null, out_of_memory: false, started_at: '2026-01-01T10:00:00Z' }
const evaluation: EvaluationRecord = {
  ...{ id: 'e', sandbox_id: 'a', course_id: 'scenario-01', passed: false, score: 10, checkpoints: [], hints_used: 0, assisted: false },
  ...{ started_at: '2026-01-01T10:10:00Z', elapsed_seconds: 600, duration_ms: 5 },
}
const grading = { started_at: '2026-01-01T10:10:00Z', attempt: 1, steps: [] }
const step = { name: 'topology_intact', outcome: 'passed', output: 'all run' } as const

const nobody = { partners: 0, watchers: 0 }

const after = (...events: readonly SandboxEvent[]) => events.reduce(afterEvent, unknownLab)
const first: SandboxEvent = {
  event: 'snapshot',
  data: { sandbox, containers: [web], grading: null, evaluation: null, terminals: [], guests: nobody },
}

describe('a lab', () => {
  it('tells which terminals are open, who is in, and that the reader is not', () => {
    const open = [{ terminal_id: 't', container: 'web', has_keys: true, attended: true }]
    const state = after(first, { event: 'terminals', data: { open } }, { event: 'guests', data: { partners: 1, watchers: 2 } })
    expect([state.terminals, state.guests, state.removed]).toEqual([open, { partners: 1, watchers: 2 }, null])
    expect(afterEvent(state, { event: 'removed', data: { message: 'out' } }).removed).toEqual({ message: 'out' })
  })

  it('is known by the snapshot, and a later one replaces it', () => {
    expect(after(first)).toMatchObject({ sandbox, grading: null, evaluation: null, end: null })
    const again = after({ event: 'grading', data: grading }, first)
    expect([again.grading, again.containers.get('web')]).toEqual([null, web])
  })

  it('keeps the machines it knows where a snapshot knows none', () => {
    const later = after(first, {
      event: 'snapshot',
      data: { sandbox, containers: [], grading: null, evaluation, terminals: [], guests: nobody },
    })
    expect([later.containers.size, later.evaluation]).toEqual([1, evaluation])
  })

  it('takes over one container at a time', () => {
    const stopped = { ...web, status: 'stopped', exit_code: 1, started_at: null } as const
    const { containers } = after(first, { event: 'container', data: stopped }, { event: 'container', data: { ...web, name: 'ops' } })
    expect([...containers.values()].map(({ name, status }) => [name, status])).toEqual([
      ['web', 'stopped'],
      ['ops', 'running'],
    ])
  })

  it('collects the steps of a grading once each, and forgets those of an earlier attempt', () => {
    const begun: SandboxEvent = { event: 'grading', data: grading }
    const decided: SandboxEvent = { event: 'step', data: step }
    expect(after(first, begun, decided, decided).grading?.steps).toEqual([step])
    expect(after(first, begun, decided, { event: 'grading', data: { ...grading, attempt: 2 } }).grading?.steps).toEqual([])
    expect(after(first, decided).grading).toBeNull()
  })

  it('ends a grading with a result, or without one', () => {
    const begun: SandboxEvent = { event: 'grading', data: grading }
    const failure = { code: 'engine_unavailable', message: 'the engine does not answer' }
    expect(after(first, begun, { event: 'evaluation', data: evaluation })).toMatchObject({ grading: null, evaluation })
    const failed = after(first, { event: 'evaluation', data: evaluation }, begun, { event: 'grading_failed', data: failure })
    expect(failed).toMatchObject({ grading: null, evaluation, gradingFailure: failure })
    expect(afterEvent(failed, begun).gradingFailure).toBeNull()
  })

  it('takes a warning back when it was extended', () => {
    const warning: SandboxEvent = { event: 'warning', data: { minutes_left: 5, message: 'less than 5 minutes left' } }
    expect(after(first, warning).warning?.minutes_left).toBe(5)
    expect(after(first, warning, { event: 'sandbox', data: { ...sandbox, evaluations_left: 4 } }).warning).not.toBeNull()
    expect(after(first, warning, { event: 'sandbox', data: { ...sandbox, expires_at: '2026-01-01T11:00:00Z' } }).warning).toBeNull()
  })

  it('is over after its end, and keeps what was seen', () => {
    const over = after(first, { event: 'end', data: { termination_reason: 'expired', message: 'its time was over' } })
    expect([isOver(over), over.containers.size, over.end?.message]).toEqual([true, 1, 'its time was over'])
    expect(isOver(after(first))).toBe(false)
  })
})
