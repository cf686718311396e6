// The section of one operation: description and parameters on the left, examples on the right.

import { basePath } from '../../contract/api-version.ts'
import type { OpenApiDocument, OperationObject, Parameter, Response } from './openapi-types.ts'
import { answerShape, bodySchemaOf, curlExample, needsCredential } from './reference-example.ts'
import { type Field, fieldsOf, fieldTable, type Marks, nameOf, resolve, type Schemas, schemaLink, typeOf } from './reference-schema.ts'
import { type Address, figure, type Html, html, inline, join, type Part, prose } from './reference-text.ts'

export interface Operation {
  readonly path: string
  readonly method: string
  readonly operation: OperationObject
}

const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'])

export const operationsOf = ({ paths }: OpenApiDocument): Operation[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => methods.has(method))
      .map(([method, operation]) => ({ path, method, operation })),
  )

/** The link to the section of an operation, by its name such as POST /sandbox/start. */
export const addresses = (document: OpenApiDocument): Address => {
  const known = new Map(
    operationsOf(document).map(({ path, method, operation }) => [`${method.toUpperCase()} ${path}`, `#${operation.operationId}`]),
  )
  return (code) => known.get(code)
}

export const badge = (method: string): Html => html`<span class="method ${method}">${method.toUpperCase()}</span>`

const marks: Marks = { required: html`<b class="required">required</b>`, optional: html`<span class="optional">optional</span>` }
type Place = readonly [place: string, caption: string]
const inAddress: readonly Place[] = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
]
const inHead: readonly Place[] = [
  ['header', 'Request headers'],
  ['cookie', 'Cookies'],
]

const fieldOf = ({ name, schema, required, description }: Parameter): Field => ({
  name,
  within: '',
  schema,
  required: required === true,
  description,
})

const parameterTables = (places: readonly Place[], { parameters = [] }: OperationObject, schemas: Schemas): Html[] =>
  places.flatMap(([place, caption]) => {
    const fields = parameters.filter((parameter) => parameter.in === place).map(fieldOf)
    return fields.length === 0 ? [] : [html`<h4>${caption}</h4>\n${fieldTable(caption, fields, marks, schemas)}`]
  })

const bodyTable = (operation: OperationObject, schemas: Schemas): Html | undefined => {
  const given = bodySchemaOf(operation)
  if (given === undefined) return undefined
  const name = nameOf(given)
  const schema = resolve(given, schemas)
  const notes = [
    ...(name === undefined ? [] : [html`Schema ${schemaLink(name, schemas)}.`]),
    ...(operation.requestBody?.required === true ? [] : ['The body may be left out.']),
    ...(schema.additionalProperties === false ? ['Other fields are refused.'] : []),
  ]
  const fields = fieldsOf(schema)
  return html`<h4>Request body</h4>\n<p class="note">${join(notes, ' ')}</p>
${fields.length === 0 ? html`<p>${typeOf(given, schemas)}</p>` : fieldTable('Request body', fields, marks, schemas)}`
}

const schemasOf = ({ content = {} }: Response, schemas: Schemas): Part[] =>
  join(
    Object.values(content).map(({ schema }) => typeOf(schema, schemas)),
    ', ',
  )

const responseTable = ({ responses }: OperationObject, schemas: Schemas): Html =>
  html`<h4>Responses</h4>
<table class="responses"><caption>Responses</caption><thead><tr><th scope="col">Status</th><th scope="col">Meaning, or error codes</th><th scope="col">Schema</th></tr></thead>
<tbody>${Object.entries(responses).map(
    ([status, response]) =>
      html`<tr><th scope="row"><span class="status s${status.slice(0, 1)}">${status}</span></th><td>${inline(response.description)}</td><td>${schemasOf(response, schemas)}</td></tr>\n`,
  )}</tbody></table>\n`

const headersIn = ({ headers = {} }: Response) => Object.keys(headers)

/** Headers of every response of every operation. */
export const commonHeaders = (document: OpenApiDocument): string[] => {
  const [first = [], ...others] = operationsOf(document)
    .flatMap(({ operation }) => Object.values(operation.responses))
    .map(headersIn)
  return first.filter((name) => others.every((names) => names.includes(name)))
}

export const headerText = ({ components }: OpenApiDocument, name: string): string => {
  const header = Object.hasOwn(components.headers, name) ? (components.headers[name] as { readonly description?: string }) : undefined
  return header?.description ?? ''
}

const headerList = (document: OpenApiDocument, { responses }: OperationObject, common: readonly string[]): Html => {
  const names = [...new Set(Object.values(responses).flatMap(headersIn))].filter((name) => !common.includes(name))
  const statuses = (name: string) =>
    Object.entries(responses)
      .filter(([, response]) => headersIn(response).includes(name))
      .map(([status]) => status)
      .join(', ')
  const items = names.map(
    (name) => html`<li><code>${name}</code> <span class="when">${statuses(name)}</span> ${inline(headerText(document, name))}</li>`,
  )
  return html`<h4>Response headers</h4>\n<ul class="headers">${items}<li>and <a href="#headers">those of every answer</a></li></ul>\n`
}

const answerFigure = ({ responses }: OperationObject, schemas: Schemas): Html | undefined => {
  const [status, response] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? []
  const schema = Object.values(response?.content ?? {})[0]?.schema
  return schema === undefined ? undefined : figure(html`Answer <span>${status}</span>`, answerShape(schema, schemas))
}

export const operationSection = (document: OpenApiDocument, { path, method, operation }: Operation, common: readonly string[]): Html => {
  const { schemas } = document.components
  const base = document.servers[0]?.url ?? basePath
  const credential = needsCredential(operation)
    ? html`<p class="needs"><b>Needs a credential:</b> <a href="#credentials">personal access token</a></p>`
    : html`<p class="needs">No credential needed</p>`
  return html`<section class="operation" id="${operation.operationId}">
<h3><a href="#${operation.operationId}">${operation.summary}</a></h3>
<p class="route">${badge(method)} <code>${basePath}${path}</code></p>
<div class="told">
${prose(operation.description ?? '', addresses(document))}${credential}
${parameterTables(inAddress, operation, schemas)}${bodyTable(operation, schemas)}${parameterTables(inHead, operation, schemas)}${responseTable(operation, schemas)}${headerList(document, operation, common)}</div>
<div class="shown">
${figure('Request', curlExample(base, path, method, operation, schemas))}${answerFigure(operation, schemas)}</div>
</section>\n`
}
