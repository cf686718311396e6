// How many hints are left, in words: no more is promised than can be had. Pure.

import type { Hint } from '../contract/evaluation.ts'

const counted = (number: number) => `${number} ${number === 1 ? 'hint' : 'hints'}`

/** Undefined numbers are not known. */
export const hintsLeftWords = ({
  hints_left,
  hints_left_unconditional: sure,
}: Pick<Hint, 'hints_left' | 'hints_left_unconditional'>): string => {
  if (hints_left === 0) return 'no hint left'
  if (sure === undefined) return `up to ${counted(hints_left)} left: some fit a certain state of the system only`
  const conditional = hints_left - sure
  if (conditional === 0) return `${counted(hints_left)} left`
  return `${counted(hints_left)} left, ${sure === 0 ? '' : `${conditional} of them `}for a certain state of the system only`
}
