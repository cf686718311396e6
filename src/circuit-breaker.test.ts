import { expect, it } from 'vitest'
import { createCircuitBreaker } from './circuit-breaker.ts'

it('opens after three failures in a row, lets one try through later, and waits longer each time', () => {
  let now = 0
  const breaker = createCircuitBreaker({ now: () => now })
  const openFor = () => {
    const from = now
    while (breaker.isOpen()) now += 1000
    return now - from
  }
  breaker.failed()
  breaker.failed()
  breaker.succeeded()
  breaker.failed()
  breaker.failed()
  expect(breaker.isOpen()).toBe(false)
  breaker.failed()
  const first = openFor()
  expect(first).toBeGreaterThan(0)
  breaker.failed()
  const second = openFor()
  expect(second).toBeGreaterThan(first)
  breaker.succeeded()
  breaker.failed()
  expect(breaker.isOpen()).toBe(false)
})

it('pauses no longer than it may', () => {
  let now = 0
  const breaker = createCircuitBreaker({ mostFailures: 1, firstPauseMs: 60_000, longestPauseMs: 60_000, now: () => now })
  for (let failures = 0; failures < 5; failures += 1) {
    breaker.failed()
    expect(breaker.isOpen()).toBe(true)
    now += 60_000
    expect(breaker.isOpen()).toBe(false)
  }
})
