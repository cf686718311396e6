// What follows where a program of the probe could not read what it was to read, by the code that it exited with.

import { differs, killed, type Observation, timedOut } from './observation.ts'

/** What the programs below images/probe/ exit with when a store was not reached in time. */
const noAnswer = 75

/**
 * By a signal: as a rule from the kernel, because all that runs in the probe took too much memory together. A shell ends with 137 where that
 * happened to the program that it waited for.
 */
export const wasKilled = (exitCode: number): boolean => exitCode < 0 || exitCode === 137

/** `said` is what the program gave as its reason. No exit code: it did not end in time. */
export const unreadable = (what: string, exitCode: number | null, said: string): Observation => {
  if (exitCode === null) return timedOut(`${what} could not be read in time`)
  if (wasKilled(exitCode)) return killed(`the check of ${what} was killed`)
  return (exitCode === noAnswer ? timedOut : differs)(`${what} cannot be read: ${said}`)
}
