// Other hands, other means: each solution of the scenario in the place of the reference, slowly, or after the incident has gone on for a while.

import { type ChangeStep, changeKind } from '../../changes/change-kind.ts'

/** Long enough that customers of every kind come between two steps. */
const pauseSeconds = 6
const lateSeconds = 30

/** What the commands of a solution exit with is their own affair. */
const unheeded = (run: string) => `( ${run}\n) || true\n`

export const kind = changeKind({
  means: 'repairs by other means, by slow hands, or late',
  candidates: ({ workstation, solutions }) => {
    const pause = (seconds: number): ChangeStep => ({ in: workstation, run: `sleep ${seconds}` })
    return solutions.flatMap(({ name, steps }) => {
      const done = steps.map((step): ChangeStep => ({ in: step.in, run: unheeded(step.run) }))
      return [
        { name: `${name}, with a pause after each step`, instead: true, steps: done.flatMap((step) => [step, pause(pauseSeconds)]) },
        { name: `${name}, after a long look`, instead: true, steps: [pause(lateSeconds), ...done], weight: 0.5 },
      ]
    })
  },
})
