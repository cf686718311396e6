// A reproducible random generator: the same seed gives the same choices.

import { randomInt } from 'node:crypto'
import { deep } from './test-mode.ts'

export interface Random {
  readonly seed: number
  /** From 0 up to 1. */
  readonly next: () => number
  /** A whole number from 0, below the bound. */
  readonly below: (bound: number) => number
  readonly pick: <T>(choices: readonly T[]) => T
  readonly shuffled: <T>(items: readonly T[]) => T[]
  readonly uuid: () => string
}

const range = 2 ** 32

/** The generator mulberry32, with 32 bits of state. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / range
  }
  const below = (bound: number) => Math.floor(next() * bound)
  const hex = (digits: number) => Array.from({ length: digits }, () => below(16).toString(16)).join('')
  return {
    seed,
    next,
    below,
    shuffled: (items) =>
      items
        .map((item) => ({ item, place: next() }))
        .sort((one, other) => one.place - other.place)
        .map(({ item }) => item),
    pick: (choices) => choices[below(choices.length)] as (typeof choices)[number],
    uuid: () => [hex(8), hex(4), `4${hex(3)}`, `8${hex(3)}`, hex(12)].join('-'),
  }
}

const wanted = process.env.INCIDENT_LAB_SEED
if (wanted !== undefined && !/^\d{1,15}$/.test(wanted)) throw new Error(`INCIDENT_LAB_SEED is a whole number, and not ${wanted}`)

/** Random seeds; INCIDENT_LAB_SEED runs a given one again. */
export const seedsOf = (count: number): readonly number[] =>
  wanted === undefined ? Array.from({ length: count }, () => randomInt(range)) : [Number(wanted)]

/** Days since 1970, for what takes turns by the day; INCIDENT_LAB_SEED runs one again. */
export const day = wanted === undefined ? Math.floor(Date.now() / 86_400_000) : Number(wanted)

/** One seed, or five under ./lab test --deep. */
export const seeds = seedsOf(deep ? 5 : 1)
