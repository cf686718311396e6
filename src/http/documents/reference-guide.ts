// Chapters of the reference that apply to every operation: credentials, errors, headers, rate limits, idempotency, versions. Names,
// codes and values come from the OpenAPI document.

import type { OpenApiDocument, Parameter } from './openapi-types.ts'
import { exampleOf } from './reference-example.ts'
import { addresses, commonHeaders, headerText, operationsOf } from './reference-operation.ts'
import { schemaLink } from './reference-schema.ts'
import { figure, type Html, html, inline, join, json, type Part, prose } from './reference-text.ts'

export interface Chapter {
  readonly id: string
  readonly title: string
  readonly content: Html
}

export const chapterSection = ({ id, title, content }: Chapter): Html =>
  html`<section class="chapter" id="${id}">\n<h2><a href="#${id}">${title}</a></h2>\n${content}</section>\n`

const credentials: Chapter = {
  id: 'credentials',
  title: 'Credentials',
  content: html`<p>Each operation says whether it needs a personal access token. It goes into the <code>Authorization</code> header,
never into the address; a wrong one is refused with <code>unauthorized</code>, also where none is needed. The operator of an installation makes
tokens on its command line:</p>
${figure('Shell', `TOKEN=$(./lab token create --name first)`)}
<p>The examples below take the token from <code>TOKEN</code>, and what only you can know, such as the <code>session_id</code> of your
sandbox, from variables like <code>SESSION_ID</code>.</p>\n`,
}

/** Error codes by status, over all operations. */
const codesByStatus = (document: OpenApiDocument): [status: string, codes: string[]][] => {
  const found = new Map<string, Set<string>>()
  for (const { operation } of operationsOf(document)) {
    for (const [status, { description }] of Object.entries(operation.responses)) {
      if (!/^[45]/.test(status)) continue
      const codes = found.get(status) ?? new Set()
      for (const [, code] of description.matchAll(/`([^`]+)`/g)) codes.add(code as string)
      found.set(status, codes)
    }
  }
  return [...found].map(([status, codes]): [string, string[]] => [status, [...codes]]).sort(([one], [other]) => (one < other ? -1 : 1))
}

const errors = (document: OpenApiDocument): Chapter => {
  const { schemas } = document.components
  const rows = codesByStatus(document).map(
    ([status, codes]) =>
      html`<tr><th scope="row"><span class="status s${status.slice(0, 1)}">${status}</span></th><td>${join(
        codes.map((code) => html`<code>${code}</code>`),
        ', ',
      )}</td></tr>\n`,
  )
  return {
    id: 'errors',
    title: 'Errors',
    content: html`<p>Every error is an ${schemaLink('Error', schemas)}. Branch on <code>error.code</code>, which is one of the codes below;
<code>message</code> is for people and may change. <code>resolution_hint</code> says what you can do, and the operator finds the request
in the log by <code>request_id</code>.</p>
${Object.hasOwn(schemas, 'Error') ? figure('Error', json(exampleOf({ $ref: '#/components/schemas/Error' }, schemas, 'error'))) : undefined}
<table class="responses"><caption>Error codes by status</caption><thead><tr><th scope="col">Status</th><th scope="col">Codes</th></tr></thead>
<tbody>${rows}</tbody></table>\n`,
  }
}

const headerItems = (document: OpenApiDocument, names: readonly string[]): Html =>
  html`<ul class="headers">${names.map((name) => html`<li><code>${name}</code> ${inline(headerText(document, name))}</li>`)}</ul>\n`

const knownHeaders = ({ components }: OpenApiDocument, wanted: (name: string) => boolean): string[] =>
  Object.keys(components.headers).filter(wanted)

const headers = (document: OpenApiDocument): Chapter => ({
  id: 'headers',
  title: 'Headers of every response',
  content: headerItems(document, commonHeaders(document)),
})

const linked = (document: OpenApiDocument, code: string): Part => inline(`\`${code}\``, addresses(document))

const rateLimits = (document: OpenApiDocument): Chapter => ({
  id: 'rate-limits',
  title: 'Rate limits',
  content: html`<p>Requests are counted by class (read, write, start, exec and auth), for each account, or for each address where no
credential is sent. A minute’s worth may be sent at once. A request beyond that is refused with 429 <code>rate_limited</code>: wait as long
as <code>Retry-After</code> says. ${linked(document, 'GET /settings/public')} tells the limits of this installation; where the operator
has turned them off, the <code>RateLimit</code> headers are absent.</p>
${headerItems(
  document,
  knownHeaders(document, (name) => name.startsWith('RateLimit') || name === 'Retry-After'),
)}`,
})

const parameterNamed = (document: OpenApiDocument, wanted: string): Parameter | undefined =>
  operationsOf(document)
    .flatMap(({ operation }) => operation.parameters ?? [])
    .find(({ name }) => name === wanted)

const idempotency = (document: OpenApiDocument): Chapter => ({
  id: 'idempotency',
  title: 'Idempotency',
  content: html`<p>Give a write a fresh UUID as <code>Idempotency-Key</code>, and after a lost connection send the same request with the
same key. ${parameterNamed(document, 'Idempotency-Key')?.description}</p>
<ul>
<li>Another body under a used key: 422 <code>idempotency_key_reused</code>.</li>
<li>The first request is still in progress: 409 <code>idempotency_in_progress</code>; try again after <code>Retry-After</code>.</li>
<li>The service was interrupted meanwhile and the outcome is unknown: 409 <code>idempotency_outcome_unknown</code>; check, then use a new key.</li>
<li>It was executed, but its response was too large to be stored, or stored by another version: 409 <code>idempotency_answer_not_kept</code>, with the first status.</li>
<li>Responses with 401, 429 and 5xx are not stored: the same key may be used again.</li>
</ul>
${headerItems(
  document,
  knownHeaders(document, (name) => name.startsWith('Idempotent')),
)}`,
})

const versions = (document: OpenApiDocument): Chapter => {
  const parameter = parameterNamed(document, 'API-Version')
  const values = (Array.isArray(parameter?.schema.enum) ? parameter.schema.enum : []).map((value) => html`<code>${String(value)}</code>`)
  return {
    id: 'versions',
    title: 'Versions',
    content: html`<p>This is ${document.info.title} ${document.info.version}. The versions of its API are dates, sent as
<code>API-Version</code>: ${values.length > 0 ? join(values, ', ') : 'none so far'}. ${inline(parameter?.description ?? '')} Name one, and
your program keeps its contract; an unknown one is refused with <code>unsupported_api_version</code>.</p>
<p>An operation that will go says so at least twelve months before, by the headers <code>Deprecation</code>, <code>Sunset</code> and
<code>Link</code>.</p>\n`,
  }
}

const introduction = (document: OpenApiDocument): Chapter => ({
  id: 'introduction',
  title: 'Introduction',
  content: html`${prose(document.info.description, addresses(document))}
<table class="responses"><caption>Base URLs</caption><thead><tr><th scope="col">Base URL</th><th scope="col">Host</th></tr></thead>
<tbody>${document.servers.map(({ url, description }) => html`<tr><th scope="row"><code>${url}</code></th><td>${description}</td></tr>\n`)}</tbody></table>
<p>For programs: the <a href="/openapi.json">OpenAPI 3.1 document</a> from which this page is made, <a href="/llms.txt">llms.txt</a> for
language models, and <a href="#mcp">MCP</a> for agents.</p>\n`,
})

export const guideChapters = (document: OpenApiDocument): Chapter[] =>
  [introduction, () => credentials, errors, headers, rateLimits, idempotency, versions].map((make) => make(document))
