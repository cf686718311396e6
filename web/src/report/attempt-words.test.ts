// What a report says of an attempt.

import { expect, it } from 'vitest'
import type { EvaluationRecord } from '../../../src/contract/evaluation.ts'
import type { AttemptReport } from '../../../src/contract/report.ts'
import { notableEvaluations, outcomeWords, timeWords } from './attempt-words.ts'

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
  expect(timeWords(report)).toBe('not repaired yet')
  expect(timeWords({ ...report, ended_at: 'x', seconds_taken: 61 })).toBe('not repaired; the lab ended after 1 min 1 s')
  const repaired = { ...report, passed_at: 'x', ended_at: 'x', seconds_taken: 61 }
  expect(timeWords(repaired)).toBe('1 min 1 s, from the start of the sandbox to the end of the first evaluation that passed')
})
