import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { invalidField, inWords, summarizeIssues, summarizeProblems } from './validation-messages.ts'

const problems = (count: number, length = 1) =>
  Array.from({ length: count }, (_, index) => ({ field: `f${index}`.padEnd(length, 'x'), problem: 'p'.repeat(length) }))

it('tells twenty problems in full', () => {
  expect(summarizeProblems(problems(2))).toEqual({
    summary: 'f0: p; f1: p',
    details: {
      fields: [
        { field: 'f0', problem: 'p' },
        { field: 'f1', problem: 'p' },
      ],
    },
  })
  expect(summarizeProblems(problems(20)).details).not.toHaveProperty('more_fields')
})

it('counts the others, and cuts what is long', () => {
  const { summary, details } = summarizeProblems(problems(1_000, 1_000))
  expect([details.fields.length, details.more_fields]).toEqual([20, 980])
  expect(summary).toMatch(/; and 980 more$/)
  expect(JSON.stringify([summary, details]).length).toBeLessThan(15_000)
})

it('tells what a schema found by where it is, and each name that the schema does not know', () => {
  const shape = z.strictObject({ a: z.array(z.strictObject({ b: z.string('must be a text') })) })
  const tell = (value: unknown) => summarizeIssues(shape.safeParse(value).error?.issues ?? [], 'body', 'key').summary
  expect(tell({ a: [{ b: 1, c: 2, d: 3 }], e: 4 })).toBe(
    'a.0.b: must be a text; a.0.c: is not a known key; a.0.d: is not a known key; e: is not a known key',
  )
  expect(tell(null)).toMatch(/^body: /)
})

it('tells the same of a field once', () => {
  const found = z.strictObject({ a: z.int().max(Number.MAX_SAFE_INTEGER), b: z.string() }).safeParse({ a: 1e30, b: 1 }, { error: inWords })
  expect(found.error?.issues.length).toBeGreaterThan(2)
  expect(summarizeIssues(found.error?.issues ?? [], 'body').summary).toBe('a: must be at most 9007199254740991; b: must be a string')
})

describe('in words', () => {
  const wordsOf = (schema: z.ZodType, value: unknown) => schema.safeParse(value, { error: inWords }).error?.issues[0]?.message
  it.each<[string, z.ZodType, unknown, string]>([
    ['nothing for a string', z.string(), undefined, 'is required'],
    ['nothing for one of some', z.enum(['a', 'b']), undefined, 'is required'],
    ['null for a string', z.string(), null, 'must be a string'],
    ['a string for a number', z.number(), '5', 'must be a number'],
    ['words for a number in an address', z.coerce.number(), 'many', 'must be a number'],
    ['half for a whole number', z.int(), 0.5, 'must be a whole number'],
    ['a string for a truth', z.boolean(), 'yes', 'must be true or false'],
    ['an object for a list', z.array(z.string()), {}, 'must be a list'],
    ['a list for an object', z.strictObject({}), [], 'must be an object'],
    ['a list for a record', z.record(z.string(), z.unknown()), [], 'must be an object'],
    ['another one', z.enum(['a', 'b']), 'c', 'must be one of a, b'],
    ['another one of one', z.literal('a'), 'c', 'must be a'],
    ['an empty string', z.string().min(1), '', 'must not be empty'],
    ['an empty list', z.array(z.string()).min(1), [], 'must not be empty'],
    ['a short string', z.string().min(2), 'a', 'must have at least 2 characters'],
    ['a long string', z.string().max(1), 'ab', 'must have at most 1 character'],
    ['a long list', z.array(z.string()).max(2), ['a', 'b', 'c'], 'must have at most 2 items'],
    ['a small number', z.int().min(1), 0, 'must be at least 1'],
    ['a large number', z.int().max(300), 301, 'must be at most 300'],
    ['no UUID', z.uuid(), 'x', 'must be a UUID'],
    ['a format without words', z.string().regex(/a/), 'b', 'must be in another format'],
    ['none of a union', z.union([z.string(), z.int()]), true, 'is not valid'],
    ['words of its own', z.string().regex(/a/, 'must have an a'), 'b', 'must have an a'],
  ])('%s', (_what, schema, value, expected) => {
    expect(wordsOf(schema, value)).toBe(expected)
  })
})

it('names the field that no schema can judge', () => {
  expect(invalidField('cursor', 'is not one of this list', { hint: 'h', details: { more: 1 } })).toMatchObject({
    code: 'invalid_request',
    message: 'cursor: is not one of this list',
    hint: 'h',
    details: { fields: [{ field: 'cursor', problem: 'is not one of this list' }], more: 1 },
  })
})
