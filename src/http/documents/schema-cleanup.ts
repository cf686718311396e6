// Cleans up the generated schemas: one name for each schema, no unused schemas, no meaningless bounds.

import type { OpenApiDocument, Schema } from './openapi-types.ts'

type Json = Record<string, unknown>

const prefix = '#/components/schemas/'
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const isSchemaRef = (value: unknown): value is string => typeof value === 'string' && value.startsWith(prefix)

const map = (value: unknown, change: (object: Json) => Json): unknown => {
  if (Array.isArray(value)) return value.map((part) => map(part, change))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(change(value)).map(([key, part]) => [key, map(part, change)]))
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

export const cleanUpSchemas = (document: OpenApiDocument): OpenApiDocument => {
  const { schemas } = document.components
  const used = reach(document.paths, schemas)
  const nameOf = (name: string): string => {
    const plain = name.replace(/Input$/, '')
    return plain === name || used.has(plain) ? name : plain
  }
  const rename = (object: Json): Json => {
    const bounded = withoutBounds(object)
    return isSchemaRef(bounded.$ref) ? { ...bounded, $ref: prefix + nameOf(bounded.$ref.slice(prefix.length)) } : bounded
  }
  const kept = Object.entries(schemas).filter(([name]) => used.has(name))
  return {
    ...document,
    paths: map(document.paths, rename) as OpenApiDocument['paths'],
    components: {
      ...document.components,
      schemas: Object.fromEntries(
        kept
          .map(([name, schema]) => [nameOf(name), map(schema, rename) as Schema] as const)
          .sort(([one], [other]) => (one < other ? -1 : 1)),
      ),
    },
  }
}
