// Why a value does not fit its schema, at the place of each mistake. Zod answers for a union as a whole; here the branch that the
// author meant is found, and answers for itself. An unknown key comes with the known one that is nearest to it.

import type { z } from 'zod'
import { closestWord, didYouMean } from '../closest-word.ts'

/** A problem at a path of keys, before its line and column are known. */
export interface PathProblem {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

type Issue = z.core.$ZodIssue
type Schema = z.core.$ZodType
type Path = readonly PropertyKey[]

/** The schemas that a value may fit: wrappers taken off, unions taken apart. */
const unwrapped = (schema: Schema): Schema[] => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'union':
      return def.options.flatMap(unwrapped)
    case 'lazy':
      return unwrapped(def.getter())
    case 'pipe':
      return unwrapped(def.in)
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return unwrapped(def.innerType)
    default:
      return [schema]
  }
}

const below = (schema: Schema, key: PropertyKey): Schema[] => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') return Object.hasOwn(def.shape, key) ? [def.shape[String(key)] as Schema] : []
  if (def.type === 'array') return [def.element]
  return def.type === 'record' ? [def.valueType] : []
}

const schemasAt = (schemas: readonly Schema[], path: Path): Schema[] => {
  const here = schemas.flatMap(unwrapped)
  const [key, ...rest] = path
  return key === undefined
    ? here
    : schemasAt(
        here.flatMap((schema) => below(schema, key)),
        rest,
      )
}

const keysAt = (schemas: readonly Schema[], path: Path): string[] =>
  schemasAt(schemas, path).flatMap((schema) => {
    const { def } = (schema as z.core.$ZodTypes)._zod
    return def.type === 'object' ? Object.keys(def.shape) : []
  })

const isObject = (value: unknown): value is Record<PropertyKey, unknown> => typeof value === 'object' && value !== null
const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((found, key) => (isObject(found) ? found[key] : undefined), value)

/**
 * Whether a branch of a union is the one that was meant: it knows some of the keys, misses none but those that were misspelt, and
 * none of the others belongs to another branch. `known` are the keys of all branches.
 */
const isMeant = (branch: readonly Issue[], value: unknown, known: readonly string[]): boolean => {
  const own = branch.filter(({ path }) => path.length === 0)
  if (own.some(({ code }) => ['invalid_type', 'invalid_value', 'invalid_union'].includes(code))) return false
  if (!isObject(value) || Array.isArray(value)) return true
  const unknown = own.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []))
  const missing = branch.flatMap(({ path: [key], path }) =>
    path.length === 1 && key !== undefined && !(key in value) ? [String(key)] : [],
  )
  const isMisspelt = (key: string) => unknown.some((word) => closestWord(word, [key]) !== undefined)
  return Object.keys(value).length > unknown.length && missing.every(isMisspelt) && !unknown.some((word) => known.includes(word))
}

const expectedIn = (issue: Issue): string[] => {
  if (issue.path.length > 0) return []
  if (issue.code === 'invalid_union') return issue.errors.flat().flatMap(expectedIn)
  return issue.code === 'invalid_type' ? [issue.expected] : []
}

/** Of a union of which no branch was meant. A message of its own is kept; it lists what there is. */
const generalMessage = (issue: z.core.$ZodIssueInvalidUnion, known: readonly string[], value: unknown): string => {
  const expected = [...new Set(issue.errors.flat().flatMap(expectedIn))]
  if (issue.message === 'Invalid input' && expected.length > 0) return `Invalid input: expected ${expected.join(' or ')}`
  const words = isObject(value) ? Object.keys(value).filter((word) => !known.includes(word)) : []
  const message = issue.message === 'Invalid input' && known.length > 0 ? `must be one of ${known.join(', ')}` : issue.message
  return `${message}${words.map((word) => didYouMean(word, known)).join('')}`
}

/** A key that only another branch of a union knows is not unknown, but one too many. */
const unknownKey = (key: string, known: readonly string[], value: unknown): string => {
  if (!known.includes(key)) return `is not a known key${didYouMean(key, known)}`
  const others = isObject(value) ? Object.keys(value).filter((other) => other !== key) : []
  return `cannot stand beside ${others.join(', ')}`
}

const explain = (issues: readonly Issue[], schemas: readonly Schema[], value: unknown): PathProblem[] =>
  issues.flatMap((issue): PathProblem[] => {
    const known = keysAt(schemas, issue.path)
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ path: [...issue.path, key], message: unknownKey(key, known, valueAt(value, issue.path)) }))
    if (issue.code !== 'invalid_union') return [{ path: issue.path, message: issue.message }]
    const here = valueAt(value, issue.path)
    const [meant] = issue.errors.filter((branch) => isMeant(branch, here, known)).sort((one, other) => one.length - other.length)
    if (meant === undefined) return [{ path: issue.path, message: generalMessage(issue, known, here) }]
    return explain(meant, schemasAt(schemas, issue.path), here).map(({ path, message }) => ({ path: [...issue.path, ...path], message }))
  })

/** A key that is missing because it was misspelt is told once. */
const isToldAlready = ({ path }: PathProblem, value: unknown, all: readonly PathProblem[]): boolean => {
  if (valueAt(value, path) !== undefined) return false
  const parent = path.slice(0, -1).join('.')
  return all.some(
    (other) => other.path.slice(0, -1).join('.') === parent && other.message.endsWith(`did you mean \`${String(path.at(-1))}\`?`),
  )
}

export const pathProblemsOf = (schema: Schema, value: unknown, issues: readonly Issue[]): PathProblem[] => {
  const all = explain(issues, [schema], value)
  return all.filter((problem) => !isToldAlready(problem, value, all))
}
