// A source of random choices that depends on a seed and on what is chosen, and on no order: so one more table or file changes none of the
// other choices.

import { createHash } from 'node:crypto'

/** A number from 0 to 1, without 1, for a key. */
export type Random = (key: string) => number

export const randomFrom =
  (seed: string): Random =>
  (key) =>
    createHash('sha256').update(`${seed}\0${key}`).digest().readUInt32BE() / 2 ** 32

export const pickOne = <Value>(random: Random, key: string, values: readonly Value[]): Value | undefined =>
  values[Math.floor(random(key) * values.length)]

/** At most `count` of the values, each as likely as its neighbour; in their order. */
export const pickSome = <Value>(random: Random, key: string, values: readonly Value[], count: number): Value[] => {
  const ranked = values.map((_, index) => index).sort((one, other) => random(`${key}\0${one}`) - random(`${key}\0${other}`))
  const wanted = new Set(ranked.slice(0, count))
  return values.filter((_, index) => wanted.has(index))
}
