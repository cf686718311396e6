// Lints the acknowledged writes of a scenario: that each set is written to, and that each write belongs to one.

import type { ScenarioFile } from './scenario-file.ts'
import type { Complaint } from './schema-complaints.ts'

/** The sets that each act writes to, with the path of the act. */
const writtenSets = ({ traffic, steps }: ScenarioFile): { path: readonly PropertyKey[]; sets: readonly string[] }[] => {
  const { http, script } = steps.stable_under_load.load
  const load = ['steps', 'stable_under_load', 'load']
  return [
    ...traffic.map((act, index) =>
      'http' in act
        ? { path: ['traffic', index, 'http', 'writes'], sets: Object.keys(act.http.writes ?? {}) }
        : { path: ['traffic', index, 'script', 'writes'], sets: Object.keys(act.script.writes ?? {}) },
    ),
    ...http.map(({ writes = {} }, index) => ({ path: [...load, 'http', index, 'writes'], sets: Object.keys(writes) })),
    ...script.map(({ writes = {} }, index) => ({ path: [...load, 'script', index, 'writes'], sets: Object.keys(writes) })),
  ]
}

export const lintWrites = (file: ScenarioFile): Complaint[] => {
  const written = writtenSets(file)
  const names = Object.keys(file.acknowledged_writes)
  const unknown = written.flatMap(({ path, sets }) =>
    sets.filter((set) => !names.includes(set)).map((set) => ({ path: [...path, set], message: `there are no acknowledged_writes ${set}` })),
  )
  const unwritten = names
    .filter((name) => !written.some(({ sets }) => sets.includes(name)))
    .map((name) => ({ path: ['acknowledged_writes', name], message: 'nobody writes to it: give an act of traffic its writes' }))
  return [...unknown, ...unwritten]
}
