import { expect, it } from 'vitest'
import { closestWord, closestWords, didYouMean } from './closest-word.ts'

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
  expect(closestWord(word, ['in', 'run', 'steps', 'expect', 'listener'])).toBe(near)
})

it('takes the nearest, and says nothing where there is none', () => {
  expect(didYouMean('mach', ['match', 'matches', 'each'])).toBe('; did you mean `match`?')
  expect(didYouMean('mach', [])).toBe('')
})

it('names several where they are equally near, and not too many', () => {
  const courses = ['course-01', 'course-02', 'course-12', 'course-22', 'course-32']
  expect(closestWords('course-1', courses)).toEqual(['course-01', 'course-12'])
  expect(closestWords('course-2x', courses)).toEqual(['course-22'])
  expect(closestWords('course-x2', courses)).toEqual(['course-02', 'course-12', 'course-22'])
  expect(closestWords('nothing', courses)).toEqual([])
})
