// Lints what is guarded: of every file that a scenario gives to a service it says whether a repair may change it, and in which lines.

import { hasEndlessNumber } from './line-pattern.ts'
import { isBelow, isInitial, isProgram } from './program-paths.ts'
import type { Scenario } from './scenario.ts'
import type { PathProblem } from './schema-problems.ts'

/** The workstation is its user's, to do with as they like. */
export const lintGuards = ({ containers: [workstation], instantiate }: Pick<Scenario, 'containers' | 'instantiate'>): PathProblem[] =>
  Object.entries(instantiate('sample').guards).flatMap(([service, { intact, mayChange, providedFiles, settings }]) => {
    const said = [...intact, ...mayChange, ...Object.keys(settings)]
    const free = providedFiles.filter((path) => service !== workstation && !isProgram(path) && !isInitial(path) && !isBelow(path, said))
    const endless = Object.entries(settings).filter(([, pattern]) => hasEndlessNumber(pattern))
    return [
      ...free.map((path) => ({
        path: ['services', service],
        message: `${path} is neither intact nor in settings nor in may_change: whatever it is made to hold would pass`,
      })),
      ...endless.map(([path]) => ({
        path: ['services', service, 'settings', path],
        message: `lets any number pass: write \\d{1,3}, or <1-60> for a number from 1 to 60`,
      })),
    ]
  })
