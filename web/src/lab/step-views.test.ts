// The seven steps as they are shown.

import { describe, expect, it } from 'vitest'
import { stepNames } from '../../../src/contract/evaluation.ts'
import type { GradingStep } from '../../../src/contract/event.ts'
import { reasonOf, stepViews } from './step-views.ts'

const standings = (steps: readonly GradingStep[]) =>
  stepViews({ grading: { started_at: '2026-01-01T10:00:00Z', attempt: 1, steps: [...steps] }, evaluation: null }).map(
    ({ standing }) => standing,
  )
const decide = (count: number, outcome: GradingStep['outcome'] = 'passed') =>
  stepNames.slice(0, count).map((name) => ({ name, outcome, output: 'seen' }))

describe('the seven steps', () => {
  it('are not tried before the first grading', () => {
    expect(new Set(stepViews({ grading: null, evaluation: null }).map(({ standing }) => standing))).toEqual(new Set(['not_tried']))
  })

  it('are looked at: five at once, then one after the other', () => {
    expect(standings([])).toEqual([...Array(5).fill('looked_at'), 'not_tried', 'not_tried'])
    expect(standings(decide(4))).toEqual([...Array(4).fill('held'), 'looked_at', 'not_tried', 'not_tried'])
    expect(standings(decide(5))).toEqual([...Array(5).fill('held'), 'looked_at', 'not_tried'])
    expect(standings(decide(6))).toEqual([...Array(6).fill('held'), 'looked_at'])
    expect(standings(decide(7))).toEqual(Array(7).fill('held'))
  })

  it('tell held, failed and not attempted apart, with a reason of one line for what failed', () => {
    const outputs = ['fine', 'status 404\nbody: none', 'not attempted']
    const checkpoints = outputs.map((output, index) => ({ name: stepNames[index] as string, passed: index === 0, output }))
    const record = { id: 'e', sandbox_id: 'a', course_id: 'c', passed: false, score: 10, checkpoints, hints_used: 0, assisted: false }
    const views = stepViews({
      grading: null,
      evaluation: { ...record, started_at: '2026-01-01T10:00:00Z', elapsed_seconds: 60, duration_ms: 1 },
    })
    expect(views.slice(0, 4).map(({ standing }) => standing)).toEqual(['held', 'failed', 'not_attempted', 'not_tried'])
    expect(views.slice(0, 3).map(reasonOf)).toEqual(['', 'status 404', ''])
  })
})
