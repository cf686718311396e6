import { describe, expect, it } from 'vitest'
import { contentJsonSchemas } from './content.ts'
import { scenarioJsonSchema } from './scenario-file.ts'

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Every key that an author may write, by the path to it. */
const keysIn = (schema: unknown, path: string): { path: string; description: unknown }[] => {
  if (Array.isArray(schema)) return schema.flatMap((entry) => keysIn(entry, path))
  if (!isObject(schema)) return []
  const own = isObject(schema.properties) ? Object.entries(schema.properties) : []
  return [
    ...own.flatMap(([key, value]) => [
      { path: `${path}.${key}`, description: isObject(value) ? value.description : undefined },
      ...keysIn(value, `${path}.${key}`),
    ]),
    ...Object.entries(schema).flatMap(([word, value]) => (['properties', 'default', 'enum'].includes(word) ? [] : keysIn(value, path))),
  ]
}

describe.each(Object.entries({ scenario: scenarioJsonSchema(), ...contentJsonSchemas() }))('the schema of %s', (name, schema) => {
  const keys = keysIn(schema, name)

  it('says of every key what it is for', () => {
    expect(keys.length).toBeGreaterThan(3)
    expect(keys.filter(({ description }) => typeof description !== 'string' || description === '').map(({ path }) => path)).toEqual([])
  })

  it('says it in sentences', () => {
    expect(keys.filter(({ description }) => !/^[A-Z].*\.$/s.test(String(description))).map(({ path }) => path)).toEqual([])
  })
})
