// All named schemas as tables, with the operations that use them.

import type { OpenApiDocument, Schema } from './openapi-types.ts'
import { operationsOf } from './reference-operation.ts'
import { fieldsOf, fieldTable, limitsOf, schemaId, typeOf } from './reference-schema.ts'
import { figure, type Html, html, inline, join, json, type Part } from './reference-text.ts'

export const namedSchemas = ({ components }: OpenApiDocument): string[] => Object.keys(components.schemas)

const users = (document: OpenApiDocument, name: string): Part => {
  const operations = operationsOf(document)
  const reference = JSON.stringify(`#/components/schemas/${name}`)
  const using = operations.filter(({ operation }) => JSON.stringify(operation).includes(reference))
  if (using.length === 0) return undefined
  const links = using.map(({ operation }) => html`<a href="#${operation.operationId}">${operation.summary}</a>`)
  return html`<p class="note">Used by ${using.length === operations.length ? 'every operation' : join(links, ', ')}.</p>\n`
}

const schemaSection = (document: OpenApiDocument, name: string, schema: Schema): Html => {
  const { schemas } = document.components
  const fields = fieldsOf(schema)
  const example = Array.isArray(schema.examples) && schema.examples.length > 0 ? figure('Example', json(schema.examples[0])) : undefined
  return html`<section class="schema" id="${schemaId(name)}">
<h3><a href="#${schemaId(name)}">${name}</a></h3>
${typeof schema.description === 'string' ? html`<p>${inline(schema.description)}</p>` : undefined}${users(document, name)}${
  fields.length === 0
    ? html`<p>${join([typeOf(schema, schemas), ...limitsOf(schema)], ' · ')}</p>`
    : fieldTable(name, fields, { optional: html`<span class="optional">optional</span>` }, schemas)
}${example}</section>\n`
}

export const schemaSections = (document: OpenApiDocument): Html =>
  html`<section class="group" id="schemas">\n<h2><a href="#schemas">Schemas</a></h2>
<p class="lead">A field that is not marked optional is required in requests and always there in answers.</p>
${Object.entries(document.components.schemas).map(([name, schema]) => schemaSection(document, name, schema))}</section>\n`
