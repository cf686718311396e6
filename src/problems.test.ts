import { expect, it } from 'vitest'
import { tellProblems } from './problems.ts'

const problems = (count: number, length = 1) =>
  Array.from({ length: count }, (_, index) => ({ field: `f${index}`.padEnd(length, 'x'), problem: 'p'.repeat(length) }))

it('tells twenty problems in full', () => {
  expect(tellProblems(problems(2))).toEqual({
    summary: 'f0: p; f1: p',
    details: {
      fields: [
        { field: 'f0', problem: 'p' },
        { field: 'f1', problem: 'p' },
      ],
    },
  })
  expect(tellProblems(problems(20)).details).not.toHaveProperty('more_fields')
})

it('counts the others, and cuts what is long', () => {
  const { summary, details } = tellProblems(problems(1_000, 1_000))
  expect([details.fields.length, details.more_fields]).toEqual([20, 980])
  expect(summary).toMatch(/; and 980 more$/)
  expect(JSON.stringify([summary, details]).length).toBeLessThan(15_000)
})
