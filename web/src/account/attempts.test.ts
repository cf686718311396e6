import { describe, expect, it } from 'vitest'
import type { Course } from '../../../src/contract/course.ts'
import type { EvaluationRecord } from '../../../src/contract/evaluation.ts'
import { attemptsOf, progressOf } from './attempts.ts'

const evaluation = (sandbox_id: string, minute: number, more: Partial<EvaluationRecord> = {}): EvaluationRecord => ({
  ...{ id: `${sandbox_id}-${minute}`, sandbox_id, course_id: 'scenario-01', passed: false, score: 40, checkpoints: [], hints_used: 0 },
  ...{
    assisted: false,
    started_at: `2026-01-02T03:${String(minute).padStart(2, '0')}:00.000Z`,
    elapsed_seconds: minute * 60,
    duration_ms: 900,
  },
  ...more,
})

describe('attempts', () => {
  it('are sandboxes, each with its best evaluation and the time of the first pass, the latest first', () => {
    const attempts = attemptsOf([
      evaluation('a', 1),
      evaluation('a', 5, { passed: true, score: 100, hints_used: 2 }),
      evaluation('a', 7, { passed: true, score: 100, hints_used: 3 }),
      evaluation('b', 9, { score: 20 }),
      evaluation('b', 8, { score: 60, assisted: true }),
    ])
    expect(
      attempts.map(({ sandboxId, best, evaluations, hints, isAssisted, secondsToRepair }) => [
        ...[sandboxId, best.id, evaluations, hints, isAssisted, secondsToRepair],
      ]),
    ).toEqual([
      ['b', 'b-8', 2, 0, true, null],
      ['a', 'a-5', 3, 3, false, 301],
    ])
  })

  it('are none without an evaluation', () => {
    expect(attemptsOf([])).toEqual([])
  })
})

describe('progress', () => {
  const course = (id: string, domain: string, tier: Course['tier']) => ({ id, domain, tier, title: id }) as Course
  const courses = [course('hard', 'database', 'expert'), course('easy', 'database', 'beginner'), course('net', 'cloud', 'advanced')]

  it('is told for each domain, the easiest course first', () => {
    const progress = progressOf(courses, [
      evaluation('a', 1, { course_id: 'hard', passed: true }),
      evaluation('b', 2, { course_id: 'easy' }),
    ])
    expect(
      progress.map(({ domain, solved, courses: own }) => [domain, solved, own.map(({ id, isSolved }) => `${id} ${isSolved}`)]),
    ).toEqual([
      ['cloud', 0, ['net false']],
      ['database', 1, ['easy false', 'hard true']],
    ])
  })
})
