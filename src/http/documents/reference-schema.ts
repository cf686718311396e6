// Renders a JSON Schema as a table of fields, types and bounds. A named schema is linked, not repeated. Supports what our document
// uses of JSON Schema.

import type { OpenApiDocument, Schema } from './openapi-types.ts'
import { type Html, html, inline, join, json, type Part } from './reference-text.ts'

export type Schemas = OpenApiDocument['components']['schemas']

const prefix = '#/components/schemas/'

export const schemaId = (name: string): string => `schema-${name}`
export const nameOf = ({ $ref }: Schema): string | undefined => ($ref?.startsWith(prefix) === true ? $ref.slice(prefix.length) : undefined)

export const schemaLink = (name: string, schemas: Schemas): Html =>
  Object.hasOwn(schemas, name) ? html`<a href="#${schemaId(name)}">${name}</a>` : html`${name}`

/** Resolves a $ref; other schemas are returned unchanged. */
export const resolve = (schema: Schema, schemas: Schemas): Schema => {
  const name = nameOf(schema)
  return name !== undefined && Object.hasOwn(schemas, name) ? (schemas[name] as Schema) : schema
}

const list = (value: unknown): readonly Schema[] => (Array.isArray(value) ? (value as Schema[]) : [])
const isNull = ({ type }: Schema) => type === 'null'
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Splits a nullable schema into the schema itself and whether null is allowed. */
export const core = (schema: Schema): { readonly schema: Schema; readonly nullable: boolean } => {
  const { anyOf, ...rest } = schema
  const [only, ...others] = list(anyOf).filter((choice) => !isNull(choice))
  if (only !== undefined && others.length === 0) return { schema: { ...only, ...rest }, nullable: list(anyOf).length > 1 }
  if (!Array.isArray(schema.type)) return { schema, nullable: false }
  const types = schema.type.filter((type) => type !== 'null')
  return { schema: { ...schema, type: types.length === 1 ? types[0] : types }, nullable: types.length < schema.type.length }
}

const plainType = (schema: Schema, schemas: Schemas): Part => {
  const name = nameOf(schema)
  if (name !== undefined) return schemaLink(name, schemas)
  if ('const' in schema) return html`<code>${json(schema.const)}</code>`
  for (const [keyword, word] of [
    ['anyOf', ' or '],
    ['oneOf', ' or '],
    ['allOf', ' and '],
  ] as const) {
    const parts = list(schema[keyword])
    if (parts.length > 0)
      return join(
        parts.map((part) => typeOf(part, schemas)),
        word,
      )
  }
  if (schema.type === 'array') return isSchema(schema.items) ? ['array of ', typeOf(schema.items, schemas)] : 'array'
  const values = schema.additionalProperties
  if (schema.properties === undefined && isSchema(values) && Object.keys(values).length > 0) return ['map of ', typeOf(values, schemas)]
  const type = [schema.type ?? 'any'].flat().join(' or ')
  return typeof schema.format === 'string' ? `${type}, ${schema.format}` : type
}

export const typeOf = (schema: Schema, schemas: Schemas): Html => {
  const { schema: plain, nullable } = core(schema)
  return html`${plainType(plain, schemas)}${nullable ? ' or null' : ''}`
}

const range = (low: unknown, high: unknown, things = ''): string[] => {
  const unit = things !== '' && (high ?? low) === 1 ? things.slice(0, -1) : things
  if (low === undefined && high === undefined) return []
  if (low === high) return [`exactly ${low}${unit}`]
  if (high === undefined) return [`at least ${low}${unit}`]
  return [low === undefined ? `at most ${high}${unit}` : `${low} to ${high}${unit}`]
}

/** A pattern is left out where a format names it. */
const patternOf = ({ pattern, format }: Schema): Part[] =>
  typeof pattern === 'string' && format === undefined ? [html`matches <code>${pattern}</code>`] : []

const value = (given: unknown): Html => html`<code>${typeof given === 'string' ? given : json(given)}</code>`

export const limitsOf = (given: Schema): Part[] => {
  const { schema } = core(given)
  const choices = Array.isArray(schema.enum) ? schema.enum.map(value) : []
  return [
    ...(choices.length > 0 ? [html`${choices.length === 1 ? 'only ' : 'one of '}${join(choices, ', ')}`] : []),
    ...range(schema.minimum, schema.maximum),
    ...range(schema.minLength, schema.maxLength, ' characters'),
    ...range(schema.minItems, schema.maxItems, ' items'),
    ...patternOf(schema),
    ...('default' in schema ? [html`default ${value(schema.default)}`] : []),
  ]
}

export interface Field {
  readonly name: string
  /** The path to the field, such as queue. or items[]. */
  readonly within: string
  readonly schema: Schema
  readonly required: boolean
  readonly description?: string | undefined
}

/** All fields; those of nested objects follow their object. */
export const fieldsOf = (given: Schema, within = ''): Field[] => {
  const { schema } = core(given)
  if (schema.type === 'array' && isSchema(schema.items)) return fieldsOf(schema.items, within.replace(/\.?$/, '[].'))
  const required = new Set(Array.isArray(schema.required) ? (schema.required as string[]) : [])
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>).flatMap(([name, property]) => [
    { name, within, schema: property, required: required.has(name) },
    ...fieldsOf(property, `${within}${name}.`),
  ])
}

export interface Marks {
  readonly required?: Html
  readonly optional?: Html
}

const row = ({ name, within, schema, required, description }: Field, marks: Marks, schemas: Schemas): Html => {
  const text = description ?? schema.description
  const told = typeof text === 'string' ? html`<p>${inline(text)}</p>` : undefined
  const limits = limitsOf(schema)
  const bounds = limits.length > 0 ? html`<p class="limits">${join(limits, ' · ')}</p>` : undefined
  return html`<tr><th scope="row"><code><span>${within}</span>${name}</code></th><td class="type">${typeOf(schema, schemas)} ${
    required ? marks.required : marks.optional
  }</td><td>${told}${bounds}</td></tr>\n`
}

export const fieldTable = (caption: string, fields: readonly Field[], marks: Marks, schemas: Schemas): Html =>
  html`<table class="fields"><caption>${caption}</caption><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${fields.map((field) => row(field, marks, schemas))}</tbody></table>\n`
