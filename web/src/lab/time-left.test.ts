// The countdown, and its warnings.

import { describe, expect, it } from 'vitest'
import { countdown, warningDue } from './time-left.ts'

describe('the time left', () => {
  it('is minutes and seconds, with hours where there are some, and never below zero', () => {
    expect([1900, 59.9, 0, -5, 3600, 7325].map(countdown)).toEqual(['31:40', '00:59', '00:00', '00:00', '1:00:00', '2:02:05'])
  })

  it('warns at ten, five and one minute', () => {
    const due = [601, 600, 301, 300, 61, 60, 0].map((seconds) => warningDue(seconds, undefined))
    expect(due).toEqual([null, 10, 10, 5, 5, 1, 1])
  })

  it('believes a server that has warned already', () => {
    expect([warningDue(900, 10), warningDue(50, 10), warningDue(900, 1)]).toEqual([10, 1, 1])
  })
})
