import { describe, expect, it } from 'vitest'
import { createStartLatency } from './start-latency.ts'

const withStarts = (...starts: (readonly ['warm' | 'cold', number])[]) => {
  let at = 0
  const latency = createStartLatency(() => at)
  for (const [kind, took] of starts) {
    const done = latency.begin()
    at += took
    done(kind)
  }
  return latency.read()
}

describe('the latency of starts', () => {
  it('is not known before the first one', () => {
    expect(withStarts()).toEqual({ warm: null, cold: null })
  })

  it('is told for warm and cold ones apart', () => {
    expect(withStarts(['warm', 20], ['cold', 4000], ['warm', 40])).toEqual({
      warm: { count: 2, p50_ms: 20, p95_ms: 40 },
      cold: { count: 1, p50_ms: 4000, p95_ms: 4000 },
    })
  })

  it('is of the latest hundred', () => {
    const old = Array.from({ length: 100 }, () => ['cold', 9000] as const)
    const latest = Array.from({ length: 100 }, (_, index) => ['cold', index + 1] as const)
    expect(withStarts(...old, ...latest).cold).toEqual({ count: 100, p50_ms: 50, p95_ms: 95 })
  })
})
