// Examples for one operation: a curl command, and the format of the response. Values come from the OpenAPI document; where it has
// none, the command uses shell variables.

import type { OperationObject, Parameter, Schema } from './openapi-types.ts'
import { core, nameOf, resolve, type Schemas, schemaLink, typeOf } from './reference-schema.ts'
import { type Html, html, join, json, type Part } from './reference-text.ts'

/** A shell variable in place of a value. */
const variable = (name: string): string =>
  `$${name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/\W/g, '_')
    .toUpperCase()}`
const mark = '\u0000'
const deepest = 6

/** An example of the schema: its own, or its required fields. */
export const exampleOf = (given: Schema, schemas: Schemas, name: string, depth = 0): unknown => {
  const { schema } = core(resolve(given, schemas))
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0]
  if ('default' in schema) return schema.default
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (schema.type === 'array') return depth < deepest ? [exampleOf((schema.items ?? {}) as Schema, schemas, name, depth + 1)] : []
  if (schema.type === 'object') {
    const required = new Set(depth < deepest && Array.isArray(schema.required) ? (schema.required as string[]) : [])
    const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>).filter(([key]) => required.has(key))
    return Object.fromEntries(properties.map(([key, property]) => [key, exampleOf(property, schemas, key, depth + 1)]))
  }
  if (schema.type === 'boolean') return true
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1
  return `${mark}${name}`
}

/** Quotes a text for the shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const unchangedByShell = (text: string): string => text.replace(/[\\$`]/g, '\\$&')
const plainWord = /^[\w@%+=:,./-]+$/

const parameterValue = (parameter: Parameter & { readonly example?: unknown }): string => {
  const { example, schema, name } = parameter
  const value = example ?? exampleOf(schema, {}, name)
  return typeof value === 'string' && value.startsWith(mark) ? variable(name) : encodeURIComponent(String(value))
}

const addressFor = (base: string, path: string, parameters: readonly Parameter[]): string => {
  const named = (wanted: string) => parameters.find((parameter) => parameter.in === 'path' && parameter.name === wanted)
  const filled = path.split(/\{([^}]+)\}/).map((piece, index) => {
    const parameter = index % 2 === 1 ? named(piece) : undefined
    return parameter === undefined ? piece : parameterValue(parameter)
  })
  const query = parameters.filter((parameter) => parameter.in === 'query' && (parameter.required === true || 'example' in parameter))
  const search = query.map((parameter) => `${encodeURIComponent(parameter.name)}=${parameterValue(parameter)}`).join('&')
  const address = `${base}${filled.join('')}${search === '' ? '' : `?${search}`}`
  if (plainWord.test(address)) return address
  return address.includes('$') ? `"${address.replace(/["\\`]/g, '\\$&')}"` : quoted(address)
}

/** On one line if it is short. */
const brief = (text: string): string => {
  const line = text.replace(/\n\s*/g, ' ')
  return line.length <= 50 ? line : text
}

/** A body with variables is a here-document, in which the shell expands them. */
const bodyLines = (schema: Schema, schemas: Schemas): { readonly option: string; readonly after: string } => {
  const text = brief(json(exampleOf(schema, schemas, 'value')))
  if (!text.includes('\\u0000')) return { option: `-d ${quoted(text)}`, after: '' }
  const filled = text.split(/"\\u0000([^"]*)"/).map((piece, index) => (index % 2 === 1 ? `"${variable(piece)}"` : unchangedByShell(piece)))
  return { option: '-d @- <<JSON', after: `\n${filled.join('')}\nJSON` }
}

export const bodySchemaOf = ({ requestBody }: OperationObject): Schema | undefined => Object.values(requestBody?.content ?? {})[0]?.schema

export const needsCredential = ({ security }: OperationObject): boolean =>
  (security ?? []).length > 0 && !security.some((choice) => Object.keys(choice).length === 0)

export const curlExample = (base: string, path: string, method: string, operation: OperationObject, schemas: Schemas): string => {
  const { parameters = [] } = operation
  const schema = bodySchemaOf(operation)
  const body = schema === undefined ? undefined : bodyLines(schema, schemas)
  const plain = method === 'get' || (method === 'post' && body !== undefined)
  const lines = [
    `curl ${plain ? '' : `-X ${method.toUpperCase()} `}${addressFor(base, path, parameters)}`,
    ...(needsCredential(operation) ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(parameters.some(({ name }) => name === 'Idempotency-Key') ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", body.option]),
  ]
  return lines.join(' \\\n  ') + (body?.after ?? '')
}

const shapeIn = (given: Schema, schemas: Schemas, indent: string): Part => {
  const name = nameOf(given)
  if (name !== undefined) return schemaLink(name, schemas)
  const { schema, nullable } = core(given)
  const orNull = nullable ? html` <i>or null</i>` : undefined
  if (schema.type === 'array') return ['[', shapeIn((schema.items ?? {}) as Schema, schemas, indent), ', …]', orNull]
  if (schema.properties === undefined) {
    return html`<i>${Array.isArray(schema.enum) ? schema.enum.map((value) => JSON.stringify(value)).join(' | ') : typeOf(given, schemas)}</i>`
  }
  const required = Array.isArray(schema.required) ? schema.required : []
  const lines = Object.entries(schema.properties as Record<string, Schema>).map(
    ([key, property]) =>
      html`${indent}  "${key}"${required.includes(key) ? '' : html`<i>?</i>`}: ${shapeIn(property, schemas, `${indent}  `)}`,
  )
  return ['{\n', join(lines, ',\n'), `\n${indent}}`, orNull]
}

/** The JSON of a response with types in place of values; or the example of the document. */
export const answerShape = (given: Schema, schemas: Schemas): Html => {
  const schema = resolve(given, schemas)
  return Array.isArray(schema.examples) && schema.examples.length > 0
    ? html`${json(schema.examples[0])}`
    : html`${shapeIn(schema, schemas, '')}`
}
