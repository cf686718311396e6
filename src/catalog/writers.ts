// What customers of a scenario write, and what is killed meanwhile.

import type { Writes } from './records-file.ts'
import type { ScenarioFile } from './scenario-file.ts'

/** What each act writes, with its path. */
export const writesOf = ({ traffic, steps }: ScenarioFile): { path: readonly PropertyKey[]; writes: Writes }[] => {
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

/** Those that are killed in the middle of writes: none where no customer says what it writes. */
export const killedServicesOf = (file: ScenarioFile): string[] => {
  const { kill: named } = file.steps.survives_restart
  if (named !== undefined) return Array.isArray(named) ? named : []
  if (writesOf(file).every(({ writes }) => writes === undefined)) return []
  return [...new Set(Object.values(file.records).flatMap(({ rows }) => ('in' in rows ? [rows.in] : [])))]
}
