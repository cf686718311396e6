// Whoever has a turn gets it: no long suite is left out, and no run has much more to do than another.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './support/engine.ts'
import { dealTurns, readSeconds, turns } from './support/turns.ts'

const seconds = readSeconds()
const dealt = dealTurns(seconds, () => false)
const sumOf = (turn: number) => [...dealt].reduce((sum, [path, its]) => sum + (its === turn ? (seconds.get(path) ?? 0) : 0), 0)

describe('turns', () => {
  it('are dealt to all long suites but those that are always run, and to no short one', () => {
    const long = Array.from({ length: 10 }, (_, index): [string, number] => [`test/long-${index}.test.ts`, 20 + index])
    const suites = new Map([...long, ['test/short.test.ts', 3], ['test/always.test.ts', 99]])
    const dealt = dealTurns(suites, (path) => path === 'test/always.test.ts')
    expect([...dealt.keys()].sort()).toEqual(long.map(([path]) => path))
    expect(new Set(dealt.values()).size).toBe(turns)
  })

  it('take about as long as one another', () => {
    const sums = Array.from({ length: turns }, (_, turn) => sumOf(turn))
    expect(Math.min(...sums)).toBeGreaterThan(0.8 * Math.max(...sums))
  })

  it('are of suites that exist', () => {
    expect([...seconds.keys()].filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})
