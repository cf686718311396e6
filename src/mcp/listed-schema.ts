// The JSON Schema of a tool as it is listed, generated once. It goes into the context of language models, so it says what matters and
// no more. Arguments are validated by `parseArguments`, which has its own errors, and outputs by their schema.

import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { z } from 'zod'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Leaves out the bounds of safe integers and the pattern of dates, which Zod adds. */
const isNoise = (key: string, value: unknown, schema: Json): boolean =>
  ((key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) ||
  (key === 'pattern' && schema.format !== undefined)

const concise = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(concise)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).flatMap(([key, part]) => (isNoise(key, part, value) ? [] : [[key, concise(part)]])))
}

/** Outputs may get further fields. */
const open = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(open)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => (key === 'additionalProperties' && part === false ? [] : [[key, open(part)]])),
  )
}

export const listedSchema = (shape: z.ZodObject): StandardSchemaWithJSON => {
  const { jsonSchema, ...standard } = shape.extend({})['~standard']
  const once = (make: typeof jsonSchema.input, shorten: (schema: unknown) => unknown): typeof jsonSchema.input => {
    let made: Json | undefined
    return (options) => {
      made ??= shorten(make(options)) as Json
      return made
    }
  }
  return {
    '~standard': {
      ...standard,
      validate: (value) => ({ value }),
      jsonSchema: { input: once(jsonSchema.input, concise), output: once(jsonSchema.output, (schema) => open(concise(schema))) },
    },
  }
}
