// Lints the records of a scenario: whatever customers write belongs to a set of them.

import type { ScenarioFile } from './scenario-file.ts'
import type { PathProblem } from './schema-problems.ts'
import { writesOf } from './writers.ts'

export const lintRecords = (file: ScenarioFile): PathProblem[] =>
  writesOf(file).flatMap(({ path, writes = {} }) =>
    Object.keys(writes)
      .filter((set) => !Object.hasOwn(file.records, set))
      .map((set) => ({ path: [...path, set], message: `there are no records of ${set}` })),
  )
