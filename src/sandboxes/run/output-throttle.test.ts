import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createOutputThrottle, type OutputThrottle } from './output-throttle.ts'

/** Prints a chunk whenever it may, as fast as it may. */
const floodInto = (outputThrottle: OutputThrottle, bytesPerSecond: number) => {
  const state = { bytes: 0, isPaused: false, isOver: false }
  const lane = outputThrottle.join(
    {
      pause: () => {
        state.isPaused = true
      },
      resume: () => {
        state.isPaused = false
        setImmediate(print)
      },
    },
    bytesPerSecond,
  )
  const print = () => {
    if (state.isPaused || state.isOver) return
    state.bytes += 16_384
    lane.spend(16_384)
    setImmediate(print)
  }
  print()
  return { state, lane }
}

describe('terminals that print much', () => {
  it('share one budget evenly, and stay within it', async () => {
    const outputThrottle = createOutputThrottle({ bytesPerSecond: 2_000_000 })
    const floods = Array.from({ length: 10 }, () => floodInto(outputThrottle, 10_000_000))
    await delay(100)
    const before = floods.map(({ state }) => state.bytes)
    const started = performance.now()
    await delay(1000)
    const seconds = (performance.now() - started) / 1000
    const printed = floods.map(({ state }, index) => state.bytes - (before[index] as number))
    for (const { state } of floods) state.isOver = true
    const total = printed.reduce((sum, bytes) => sum + bytes, 0)
    // What a terminal may always print comes on top.
    expect(total / seconds).toBeLessThan(2_000_000 + 10 * 10_000 + 200_000)
    expect(total).toBeGreaterThan(200_000)
    expect(Math.max(...printed) - Math.min(...printed)).toBeLessThanOrEqual(4 * 16_384)
  })

  it('keep to their own limit when the budget has room', async () => {
    const outputThrottle = createOutputThrottle({ bytesPerSecond: 50_000_000 })
    const { state } = floodInto(outputThrottle, 200_000)
    const started = performance.now()
    await delay(1000)
    state.isOver = true
    expect(state.bytes).toBeLessThan(32_768 + ((performance.now() - started) / 1000) * 210_000 + 3 * 16_384)
    expect(state.bytes).toBeGreaterThan(50_000)
  })

  it('are not read while somebody cannot take more, however often their turn comes', async () => {
    const outputThrottle = createOutputThrottle({ bytesPerSecond: 10_000_000 })
    const { state, lane } = floodInto(outputThrottle, 10_000_000)
    lane.hold()
    const { bytes } = state
    await delay(100)
    expect(state.bytes).toBe(bytes)
    lane.release()
    await delay(100)
    expect(state.bytes).toBeGreaterThan(bytes)
    state.isOver = true
  })
})

describe('a terminal that prints little', () => {
  it('is never paused, whatever others do', async () => {
    const outputThrottle = createOutputThrottle({ bytesPerSecond: 100_000 })
    const floods = Array.from({ length: 20 }, () => floodInto(outputThrottle, 10_000_000))
    let pauses = 0
    const quiet = outputThrottle.join({ pause: () => (pauses += 1), resume: () => undefined }, 1_000_000)
    for (let key = 0; key < 100; key += 1) {
      quiet.spend(40)
      await delay(2)
    }
    for (const { state } of floods) state.isOver = true
    expect(pauses).toBe(0)
  })
})
