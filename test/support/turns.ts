// Which suites take turns. All of them together need more than half an hour, so a run has those that are always in it, every short and every
// new one, and a quarter of the long ones: by the day, so that everything is run every fourth day. How long each takes is in seconds.json.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

export const turns = 4
/** A suite that takes longer takes turns. */
const longSeconds = 15

export const secondsFile = join(import.meta.dirname, '../seconds.json')

/** By path, as of the last run that was told to keep them: ./lab test --all --record-seconds */
export const readSeconds = (): ReadonlyMap<string, number> =>
  new Map(Object.entries(z.record(z.string(), z.number().positive()).parse(JSON.parse(readFileSync(secondsFile, 'utf8')))))

/** The long ones that are not in every run, each with its turn: the longest first, dealt out so that every turn takes about as long. */
export const dealTurns = (seconds: ReadonlyMap<string, number>, isAlways: (path: string) => boolean): ReadonlyMap<string, number> => {
  const long = [...seconds]
    .filter(([path, taken]) => taken > longSeconds && !isAlways(path))
    .toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
  const sums = Array.from({ length: turns }, () => 0)
  return new Map(
    long.map(([path, taken]) => {
      const turn = sums.indexOf(Math.min(...sums))
      sums[turn] = (sums[turn] ?? 0) + taken
      return [path, turn]
    }),
  )
}
