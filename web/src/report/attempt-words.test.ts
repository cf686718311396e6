// What a report says of an attempt.

import { expect, it } from 'vitest'
import type { EvaluationRecord } from '../../../src/contract/evaluation.ts'
import type { AttemptReport } from '../../../src/contract/report.ts'
import { exactDuration, notableEvaluations, outcomeWords } from './attempt-words.ts'

const evaluation = (id: string, score: number) => ({ id, score }) as EvaluationRecord

it('names the last evaluation, and the best where it was better', () => {
  const [low, high, middle] = [evaluation('a', 10), evaluation('b', 90), evaluation('c', 50)]
  expect(notableEvaluations([])).toEqual({ last: undefined, best: undefined })
  expect(notableEvaluations([low, high])).toEqual({ last: high, best: undefined })
  expect(notableEvaluations([low, high, middle])).toEqual({ last: middle, best: high })
})

it('says how it went and how long it took', () => {
  const report = { evaluations: [], passed_at: null, given_up_at: null, ended_at: null } as unknown as AttemptReport
  expect(outcomeWords(report)).toMatch(/goes on/)
  expect(outcomeWords({ ...report, ended_at: 'x' })).toMatch(/never graded/)
  expect(outcomeWords({ ...report, given_up_at: 'x' })).toMatch(/given up/)
  expect(outcomeWords({ ...report, passed_at: 'x', given_up_at: 'x' })).toMatch(/^Repaired/)
  expect([0, 59, 61, 3661, 7200].map(exactDuration)).toEqual(['0 s', '59 s', '1 min 1 s', '1 h 1 min 1 s', '2 h'])
})
