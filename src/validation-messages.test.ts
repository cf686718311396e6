import { expect, it } from 'vitest'
import { z } from 'zod'
import { tellIssues, tellProblems } from './validation-messages.ts'

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

it('tells what a schema found by where it is, and each name that the schema does not know', () => {
  const shape = z.strictObject({ a: z.array(z.strictObject({ b: z.string('must be a text') })) })
  const tell = (value: unknown) => tellIssues(shape.safeParse(value).error?.issues ?? [], 'body', 'key').summary
  expect(tell({ a: [{ b: 1, c: 2, d: 3 }], e: 4 })).toBe(
    'a.0.b: must be a text; a.0.c: is not a known key; a.0.d: is not a known key; e: is not a known key',
  )
  expect(tell(null)).toMatch(/^body: /)
})
