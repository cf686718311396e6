// Requests with one mistake each, made from an OpenAPI document: every field of every operation is left out, has every wrong type, is
// too long, too short and not one of its choices, and every object has a field too many.

import { pathOnHost } from './openapi.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly string[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: Schema
}
interface Operation {
  readonly operationId: string
  readonly servers?: readonly object[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}
export interface Document {
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export interface BadRequest {
  readonly what: string
  readonly method: string
  /** On the host. */
  readonly path: string
  readonly body?: unknown
  /** The field that has to be named. */
  readonly field: string
}

const values: Readonly<Record<string, unknown>> = { null: null, number: 7.5, string: 'text', array: [], object: {}, boolean: true }
const kindOf = (type: string | undefined) => (type === 'integer' ? 'number' : type)

type Mistake = readonly [what: string, field: string, value: unknown]

const tooMany = 'one_too_many'

export const badRequests = ({ paths, components }: Document): BadRequest[] => {
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : resolve(components.schemas[schema.$ref.split('/').at(-1) as string] as Schema)

  /** A value that fits. */
  const good = (given: Schema): unknown => {
    const schema = resolve(given)
    if (schema.enum !== undefined) return schema.enum[0]
    if (schema.type === 'object') {
      return Object.fromEntries((schema.required ?? []).map((name) => [name, good(schema.properties?.[name] as Schema)]))
    }
    if (schema.type === 'array') return [good(schema.items as Schema)]
    if (schema.type === 'integer') return schema.minimum ?? 1
    return schema.type === 'boolean' ? true : '/x'
  }

  const below = (name: string, path: string) => (path === '' ? name : `${name}.${path}`)

  /** The same value with one mistake in it, in every way there is. */
  const mistakes = (given: Schema): Mistake[] => {
    const schema = resolve(given)
    const wrongTypes = Object.entries(values).filter(([kind]) => schema.type !== undefined && kind !== kindOf(schema.type))
    const own: Mistake[] = wrongTypes.map(([kind, value]) => [`${kind} for ${schema.type}`, '', value])
    if (schema.type === 'integer') own.push(['half a number', '', 7.5], ['too much', '', 2 ** 60], ['too little', '', -(2 ** 60)])
    if (schema.enum !== undefined) own.push(['none of the choices', '', 'none-of-them'])
    if (schema.maxLength !== undefined) own.push(['too long', '', 'x'.repeat(schema.maxLength + 1)])
    if (schema.minLength !== undefined) own.push(['too short', '', ''])
    if (schema.minItems !== undefined) own.push(['too few', '', []])
    const value = good(schema)
    const inside: Mistake[] = []
    if (schema.type === 'object' && schema.properties !== undefined) {
      const object = value as Record<string, unknown>
      inside.push(['a field too many', tooMany, { ...object, [tooMany]: 1 }])
      for (const name of schema.required ?? []) {
        const { [name]: _, ...rest } = object
        inside.push([`no ${name}`, name, rest])
      }
      for (const [name, part] of Object.entries(schema.properties)) {
        for (const [what, path, wrong] of mistakes(part)) inside.push([`${name}: ${what}`, below(name, path), { ...object, [name]: wrong }])
      }
    }
    if (schema.type === 'array') {
      for (const [what, path, wrong] of mistakes(schema.items as Schema)) inside.push([`0: ${what}`, below('0', path), [wrong]])
    }
    return [...own, ...inside]
  }

  const inAddress = (schema: Schema): [what: string, value: string][] => [
    ...(schema.type === 'integer'
      ? ([
          ['words', 'many'],
          ['too much', '1e30'],
          ['too little', '-1'],
          ['half a number', '1.5'],
        ] as [string, string][])
      : []),
    ...(schema.maxLength === undefined ? [] : [['too long', 'x'.repeat(schema.maxLength + 1)] as [string, string]]),
    ...(schema.enum === undefined ? [] : [['none of the choices', 'none-of-them'] as [string, string]]),
  ]

  return Object.entries(paths).flatMap(([named, methods]) =>
    Object.entries(methods).flatMap(([verb, { operationId, servers, parameters = [], requestBody }]) => {
      const pattern = pathOnHost(named, { servers })
      const method = verb.toUpperCase()
      const inPath = parameters.filter((parameter) => parameter.in === 'path')
      const inQuery = parameters.filter((parameter) => parameter.in === 'query')
      const path = pattern.replace(/\{[^}]+\}/g, '0000000000000000')
      const body = requestBody?.content['application/json']?.schema
      const found: Omit<BadRequest, 'method'>[] = []
      const add = (what: string, field: string, extra: { path?: string; body?: unknown }) =>
        found.push({ what: `${operationId}, ${what}`, field, path, ...extra })
      for (const { name } of inPath) {
        add(`${name} too long`, name, {
          path: pattern.replace(`{${name}}`, 'x'.repeat(300)).replace(/\{[^}]+\}/g, '0000000000000000'),
        })
      }
      for (const { name, schema } of inQuery) {
        for (const [what, value] of inAddress(schema)) add(`${name} ${what}`, name, { path: `${path}?${name}=${value}` })
        add(`${name} twice`, name, { path: `${path}?${name}=1&${name}=2` })
      }
      if (inQuery.length > 0) add('a parameter too many', tooMany, { path: `${path}?${tooMany}=1` })
      if (body !== undefined) for (const [what, field, value] of mistakes(body)) add(what, field || 'body', { body: value })
      return found.map((request) => ({ method, ...request }))
    }),
  )
}
