import { expect, it } from 'vitest'
import { createCircuitBreaker } from './circuit-breaker.ts'

it('opens after three failures in a row, lets one try through later, and waits longer each time', () => {
  let now = 0
  const breaker = createCircuitBreaker({ now: () => new Date(now) })
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
