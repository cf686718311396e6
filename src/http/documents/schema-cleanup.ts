// Cleans up the schemas of the generated document: a name of their own for those that differ in requests only, no unused ones, no
// meaningless bounds, readable date-times, and answers that may get new fields.

import type { OpenApiDocument, Schema } from './openapi-types.ts'

type Json = Record<string, unknown>

const prefix = '#/components/schemas/'
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const isSchemaRef = (value: unknown): value is string => typeof value === 'string' && value.startsWith(prefix)

/** Changes every object, but leaves examples as they are: they are data. */
const map = (value: unknown, change: (object: Json) => Json): unknown => {
  if (Array.isArray(value)) return value.map((part) => map(part, change))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(change(value)).map(([key, part]) => [key, ['example', 'examples'].includes(key) ? part : map(part, change)]),
  )
}

const refsIn = (value: unknown, found = new Set<string>()): Set<string> => {
  map(value, (object) => {
    if (isSchemaRef(object.$ref)) found.add(object.$ref.slice(prefix.length))
    return object
  })
  return found
}

/** All schemas that are referenced, directly or indirectly. */
const reach = (from: unknown, schemas: Readonly<Record<string, Schema>>): Set<string> => {
  const reached = new Set<string>()
  const open = [...refsIn(from)]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (reached.has(name)) continue
    reached.add(name)
    open.push(...refsIn(schemas[name]))
  }
  return reached
}

/** The bounds of every integer in JavaScript. */
const meaningless = new Set([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])
const withoutBounds = (object: Json): Json =>
  Object.fromEntries(
    Object.entries(object).filter(([key, value]) => !(['minimum', 'maximum'].includes(key) && meaningless.has(value as number))),
  )

const exampleTime = '2026-11-15T12:00:00.000Z'

/** A format says more than the regular expression that checks it. */
const readable = (object: Json): Json => {
  if (object.type !== 'string' || typeof object.format !== 'string') return object
  const { pattern: _, ...rest } = object
  return rest.format === 'date-time' ? { examples: [exampleTime], ...rest } : rest
}

const open = (object: Json): Json => {
  if (object.additionalProperties !== false) return object
  const { additionalProperties: _, ...rest } = object
  return rest
}

/** What a response holds, in an object of any depth. */
const openResponses = (paths: unknown): unknown =>
  map(paths, (object) => (isObject(object.responses) ? { ...object, responses: map(object.responses, open) } : object))

export const cleanUpSchemas = (document: OpenApiDocument): OpenApiDocument => {
  const { schemas } = document.components
  const used = reach(document.paths, schemas)
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const strict = reach(
    operations.map(({ requestBody, parameters }) => [requestBody, parameters]),
    schemas,
  )
  const nameOf = (name: string): string => {
    const plain = name.replace(/Input$/, '')
    return plain === name || used.has(plain) ? name : plain
  }
  const clean = (object: Json): Json => {
    const plain = readable(withoutBounds(object))
    return isSchemaRef(plain.$ref) ? { ...plain, $ref: prefix + nameOf(plain.$ref.slice(prefix.length)) } : plain
  }
  const kept = Object.entries(schemas).filter(([name]) => used.has(name))
  return {
    ...document,
    paths: map(openResponses(document.paths), clean) as OpenApiDocument['paths'],
    components: {
      ...document.components,
      schemas: Object.fromEntries(
        kept
          .map(([name, schema]) => [nameOf(name), map(strict.has(name) ? schema : map(schema, open), clean) as Schema] as const)
          .sort(([one], [other]) => (one < other ? -1 : 1)),
      ),
    },
  }
}
