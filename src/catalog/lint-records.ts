// Lints the records of a scenario: whatever customers write belongs to a set of them.

import type { Writes } from './records-file.ts'
import type { ScenarioFile } from './scenario-file.ts'
import type { Complaint } from './schema-complaints.ts'

/** What each act writes, with its path. */
const writesOf = ({ traffic, steps }: ScenarioFile): { path: readonly PropertyKey[]; writes: Writes }[] => {
  const { http, script } = steps.stable_under_load.load
  const load = ['steps', 'stable_under_load', 'load']
  return [
    ...traffic.map((act, index) =>
      'http' in act
        ? { path: ['traffic', index, 'http', 'writes'], writes: act.http.writes }
        : { path: ['traffic', index, 'script', 'writes'], writes: act.script.writes },
    ),
    ...http.map(({ writes }, index) => ({ path: [...load, 'http', index, 'writes'], writes })),
    ...script.map(({ writes }, index) => ({ path: [...load, 'script', index, 'writes'], writes })),
  ]
}

export const lintRecords = (file: ScenarioFile): Complaint[] =>
  writesOf(file).flatMap(({ path, writes = {} }) =>
    Object.keys(writes)
      .filter((set) => !Object.hasOwn(file.records, set))
      .map((set) => ({ path: [...path, set], message: `there are no records of ${set}` })),
  )
