import { expect, it } from 'vitest'
import { hintsLeftWords } from './hints-left.ts'

it.each([
  [0, 0, 'no hint left'],
  [2, 2, '2 hints left'],
  [3, 1, '3 hints left, 2 of them for a certain state of the system only'],
  [1, 0, '1 hint left, for a certain state of the system only'],
  [3, undefined, 'up to 3 hints left: some fit a certain state of the system only'],
])('%s left, %s of them in any state', (hints_left, unconditional, words) => {
  expect(hintsLeftWords({ hints_left, ...(unconditional === undefined ? {} : { hints_left_unconditional: unconditional }) })).toBe(words)
})
