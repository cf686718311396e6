// What follows where a program of the probe could not read what it was to read, by the code that it exited with.

import { differs, type Observation, timedOut } from './observation.ts'

/** What the programs below images/probe/ exit with when a store was not reached in time. */
const noAnswer = 75

/** `said` is what the program gave as its reason. No exit code: it did not end in time. */
export const unreadable = (what: string, exitCode: number | null, said: string): Observation => {
  if (exitCode === null) return timedOut(`${what} could not be read in time`)
  return (exitCode === noAnswer ? timedOut : differs)(`${what} cannot be read: ${said}`)
}
