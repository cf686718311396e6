// Describes what is wrong with a request, a file or an answer in limited size: the first few problems, and how many others there are.

import type { z } from 'zod'
import { type ErrorOptions, LabError } from './errors.ts'

export interface Problem {
  readonly field: string
  readonly problem: string
}

/** What a Zod schema says of a value. */
export interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly code?: string
  /** The names that a strict object does not know. */
  readonly keys?: readonly string[]
}

const mostProblems = 20
const longestField = 100
const longestProblem = 200

const shortened = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`)

/**
 * One for each field and rule, the last: a whole number has the bounds of exact integers beside those of its field, which come later.
 */
const onePerRule = (issues: readonly Issue[]): Issue[] => {
  const ruleOf = ({ code, message }: Issue) => (code === 'too_big' || code === 'too_small' ? code : message)
  return [...new Map(issues.map((issue) => [`${issue.path.join('.')}: ${ruleOf(issue)}`, issue])).values()]
}

/** The problems with their paths. Each unknown key is a problem of its own, at its own path. */
const locateIssues = (issues: readonly Issue[], noun: string): { path: PropertyKey[]; problem: string }[] =>
  onePerRule(issues).flatMap(({ path, message, keys = [] }) =>
    keys.length === 0
      ? [{ path: [...path], problem: message }]
      : keys.map((key) => ({ path: [...path, key], problem: `is not a known ${noun}` })),
  )

/** The message and details of an error. Reads no more problems than it shows. */
export const summarizeProblems = (problems: readonly Problem[]) => {
  const fields = problems.slice(0, mostProblems).map(({ field, problem }) => ({
    field: shortened(field, longestField),
    problem: shortened(problem, longestProblem),
  }))
  const more = problems.length - fields.length
  const told = fields.map(({ field, problem }) => `${field}: ${problem}`)
  return {
    summary: [...told, ...(more === 0 ? [] : [`and ${more} more`])].join('; '),
    details: { fields, ...(more === 0 ? {} : { more_fields: more }) },
  }
}

/** The same for what a schema found. `whole` names the value itself, `noun` what its parts are called. */
export const summarizeIssues = (issues: readonly Issue[], whole: string, noun = 'field') =>
  summarizeProblems(locateIssues(issues, noun).map(({ path, problem }) => ({ field: path.join('.') || whole, problem })))

/** The error for fields that no schema can judge. */
export const invalidFields = (problems: readonly Problem[], options: Pick<ErrorOptions, 'hint' | 'details'> = {}): LabError => {
  const { summary, details } = summarizeProblems(problems)
  return new LabError('invalid_request', summary, { ...options, details: { ...details, ...options.details } })
}

/** The same for one. */
export const invalidField = (field: string, problem: string, options?: Pick<ErrorOptions, 'hint' | 'details'>): LabError =>
  invalidFields([{ field, problem }], options)

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const units: Readonly<Record<string, string>> = { string: 'character', array: 'item' }
const formats: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  datetime: 'a date and time in ISO 8601',
  url: 'a URL',
  email: 'an address of mail',
}

const amount = (bound: number | bigint, origin: string): string => {
  const unit = units[origin]
  return unit === undefined ? String(bound) : `${bound} ${unit}${Number(bound) === 1 ? '' : 's'}`
}

const bounded = (verb: string, origin: string, bound: number | bigint): string =>
  `must ${units[origin] === undefined ? 'be' : 'have'} ${verb} ${amount(bound, origin)}`

/** What people read where a schema has no words of its own: `schema.safeParse(value, { error: inWords })`. */
export const inWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${kinds[issue.expected] ?? 'of another type'}`
    case 'invalid_value':
      if (issue.input === undefined) return 'is required'
      return issue.values.length === 1 ? `must be ${String(issue.values[0])}` : `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      if (Number(issue.minimum) === 1 && units[issue.origin] !== undefined) return 'must not be empty'
      return bounded(issue.inclusive === false ? 'more than' : 'at least', issue.origin, issue.minimum)
    case 'too_big':
      return bounded(issue.inclusive === false ? 'less than' : 'at most', issue.origin, issue.maximum)
    case 'invalid_format':
      return `must be ${formats[issue.format] ?? 'in another format'}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    default:
      return 'is not valid'
  }
}
