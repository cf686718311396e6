import { describe, expect, it } from 'vitest'
import { createRateLimit } from './rate-limit.ts'

const rates = { read: 60, write: 30, start: 7, exec: 120, auth: 1 }
const open = (scale = 1) => {
  let time = 1000
  const limit = createRateLimit({ rates: { anonymous: rates, account: rates }, scale, now: () => time })
  const take = (rateClass: keyof typeof rates = 'read', accountId = 'a') => limit.take({ kind: 'account', accountId }, rateClass)
  return {
    limit,
    take,
    pass: (ms: number) => {
      time += ms
    },
  }
}

describe('a bucket', () => {
  it('holds a minute and refuses from then on', () => {
    const { take } = open()
    const seen = Array.from({ length: 62 }, () => take())
    expect(seen.map(({ allowed }) => allowed)).toEqual([...Array(60).fill(true), false, false])
    expect(seen.map(({ remaining }) => remaining)).toEqual([...Array.from({ length: 60 }, (_, index) => 59 - index), 0, 0])
    expect(seen.at(-1)).toEqual({ allowed: false, limit: 60, remaining: 0, resetSeconds: 1 })
  })

  it('gives back exactly what flowed in, however the time is cut', () => {
    for (const step of [1, 7, 333, 1000, 8571]) {
      const { take, pass } = open()
      while (take('start').allowed) pass(0)
      let admitted = 0
      for (let waited = 0; waited < 600_000; waited += step) {
        pass(step)
        if (take('start').allowed) admitted += 1
        if (take('start').allowed) admitted += 1
      }
      const steps = Math.ceil(600_000 / step)
      expect(admitted).toBe(Math.floor((steps * step * 7) / 60_000))
    }
  })

  it('never holds more than a minute, and tells when one more is there', () => {
    const { take, pass } = open()
    pass(3_600_000)
    expect(take().remaining).toBe(59)
    const slow = open()
    expect(slow.take('auth')).toMatchObject({ allowed: true, remaining: 0, resetSeconds: 60 })
    slow.pass(59_000)
    expect(slow.take('auth')).toMatchObject({ allowed: false, resetSeconds: 1 })
    slow.pass(1_000)
    expect(slow.take('auth').allowed).toBe(true)
  })

  it('is one for each caller and class, and scaled', () => {
    const { take } = open(0.5)
    expect([take('auth').limit, take('read').limit, take('read', 'b').remaining]).toEqual([1, 30, 29])
  })

  it('is forgotten when too many others came, without filling the memory', () => {
    const { limit } = open()
    for (let index = 0; index < 100_002; index += 1)
      limit.take({ kind: 'anonymous', address: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` }, 'auth')
    expect(limit.take({ kind: 'anonymous', address: '10.0.0.0' }, 'auth').allowed).toBe(true)
    expect(limit.take({ kind: 'anonymous', address: '10.1.134.161' }, 'auth').allowed).toBe(false)
  })
})
