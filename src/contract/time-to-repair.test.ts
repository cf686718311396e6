import { expect, it } from 'vitest'
import { firstPassOf, secondsToRepair } from './time-to-repair.ts'

const evaluation = (passed: boolean, elapsed_seconds: number | null) => ({
  ...{ passed, elapsed_seconds, duration_ms: 2_400 },
  started_at: new Date(Date.UTC(2026, 0, 2) + (elapsed_seconds ?? 0) * 1000).toISOString(),
})

it('is that of the evaluation that passed first, whatever came before and after it', () => {
  const [failed, pass, again] = [evaluation(false, 60), evaluation(true, 120), evaluation(true, 600)]
  expect(secondsToRepair([failed, pass])).toBe(122)
  expect(secondsToRepair([again, failed, pass])).toBe(122)
  expect(firstPassOf([again, failed, pass])).toBe(pass)
})

it('is not known without a pass, or without the start', () => {
  expect([[], [evaluation(false, 60)], [evaluation(true, null)]].map(secondsToRepair)).toEqual([null, null, null])
})
