import { expect, it } from 'vitest'
import { didYouMean, nearWord } from './near-word.ts'

it.each([
  ['expct', 'expect'],
  ['rnu', 'run'],
  ['step', 'steps'],
  ['lsitner', 'listener'],
  ['listen', 'listener'],
  ['', undefined],
  ['at', undefined],
  ['colour', undefined],
])('%j is near to %j', (word, near) => {
  expect(nearWord(word, ['in', 'run', 'steps', 'expect', 'listener'])).toBe(near)
})

it('takes the nearest, and says nothing where there is none', () => {
  expect(didYouMean('mach', ['match', 'matches', 'each'])).toBe('; did you mean `match`?')
  expect(didYouMean('mach', [])).toBe('')
})
