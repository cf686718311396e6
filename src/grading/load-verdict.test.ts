import { expect, it } from 'vitest'
import { judgeLoad, type LoadAnswer } from './load-verdict.ts'
import { InfrastructureError } from './observer.ts'

const budget = { error_rate: 0.05, p95_ms: 900 }
const answer = (changed: Partial<LoadAnswer>): LoadAnswer => ({
  ...{ count: 100, errors: 0, sample: null, p95_ms: 300, control_p95_ms: 4 },
  ...changed,
})

it.each([
  ['within the budget', {}],
  ['some that failed, no more than customers bear', { errors: 5, sample: '502' }],
  ['a slow control where nothing is wrong', { control_p95_ms: 4_000 }],
  ['no control where nothing is wrong', { control_p95_ms: null }],
])('holds: %s', (_, changed) => {
  expect(judgeLoad(answer(changed), budget).passed).toBe(true)
})

it.each([
  ['too many that failed', { errors: 6, sample: '502 Bad Gateway' }, '100 requests, 6 failed (502 Bad Gateway), p95 300 ms'],
  ['too slow', { p95_ms: 901 }, '100 requests, 0 failed, p95 901 ms'],
  ['not one answer, from a service that hangs', { count: 0, p95_ms: null }, 'not one request came to its end'],
  ['failures on a host that is slow, but not at a standstill', { errors: 6, control_p95_ms: 400 }, '100 requests, 6 failed, p95 300 ms'],
])('fails the sandbox: %s', (_, changed, saw) => {
  expect(judgeLoad(answer(changed), budget)).toEqual({ passed: false, saw })
})

it.each([
  ['slow answers, and a slow control', { p95_ms: 2_000, control_p95_ms: 101 }],
  ['failures, and a control at a standstill', { errors: 50, control_p95_ms: 501 }],
  ['failures, and a control that was never answered', { errors: 50, control_p95_ms: null }],
])('says nothing of the sandbox: %s', (_, changed) => {
  expect(() => judgeLoad(answer(changed), budget)).toThrow(InfrastructureError)
})
