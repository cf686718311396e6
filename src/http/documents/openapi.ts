// Generates the OpenAPI 3.1 document from the registered operations.

import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { apiVersions, basePath, descriptionVersion } from '../../contract/api-version.ts'
import { statusOf } from '../../errors.ts'
import type { OpenApiDocument, OperationObject, Schema } from './openapi-types.ts'
import { cleanUpSchemas } from './schema-cleanup.ts'

const description = `Incident Lab provides real, isolated, broken multi-container systems and proves their repair from outside.

A typical drill: \`POST /sandbox/start\`, any number of \`POST /sandbox/exec\`, \`POST /sandbox/eval\`, \`POST /sandbox/stop\`.

Protected operations take \`Authorization: Bearer <personal access token>\`. Every error has the same envelope; branch on \`error.code\`.
Every response carries \`X-Request-Id\`, \`API-Version\` and, unless the operator has turned the limits off, \`RateLimit-Limit\`,
\`RateLimit-Remaining\` and \`RateLimit-Reset\`.`

const tags = [
  { name: 'Catalog', description: 'Courses and the glossary. No credential is needed.' },
  { name: 'Sandboxes', description: 'Real disposable containers: start, work, grade, stop.' },
  { name: 'Recordings', description: 'Recorded terminal output of a sandbox.' },
  { name: 'Evaluations', description: 'Results of gradings, kept permanently.' },
  { name: 'Jobs', description: 'Starts that run asynchronously.' },
  { name: 'Batch', description: 'Several calls in one request.' },
  { name: 'Service', description: 'Health, capacity and limits of the service.' },
  { name: 'Account', description: 'Sign-in, browser sessions and personal access tokens.' },
  { name: 'Operation', description: 'For operators of this installation.' },
]

const versionHeader = {
  'API-Version': z.enum(apiVersions).optional().describe('The version of the API; the newest by default.'),
}
const keyHeader = {
  'Idempotency-Key': z
    .uuid()
    .optional()
    .describe(
      'A write that is sent again with the same key and body is executed once and gets the same response, with sandboxes and jobs as they ' +
        'are by then; where the response was too large to be stored, or another version of the service stored it, the second one is 409 ' +
        '`idempotency_answer_not_kept`. A key belongs to its method and path, and a replay costs one request of the operation.',
    ),
}
const etagHeader = { 'If-None-Match': z.string().optional().describe('An earlier `ETag`: 304 when nothing has changed.') }

const whole = { type: 'integer' }
const text = { type: 'string' }
const headers = {
  'X-Request-Id': { description: 'Identifies the request in the logs.', schema: text },
  'API-Version': { description: 'The version that was applied.', schema: text },
  'RateLimit-Limit': { description: 'Requests of this class per minute.', schema: whole },
  'RateLimit-Remaining': { description: 'How many more requests would be accepted now.', schema: whole },
  'RateLimit-Reset': { description: 'Seconds until one more request would be accepted.', schema: whole },
  'WWW-Authenticate': { description: 'Where the credential requirements are described.', schema: text },
  'Retry-After': { description: 'Seconds to wait. Not sent where waiting does not help.', schema: whole },
  Location: { description: 'Where the job can be polled: its `status_url`.', schema: text },
  ETag: { description: 'Identifies this version of the response.', schema: text },
  'Idempotent-Replayed': { description: '`true` when this is the response to an earlier request with the same key.', schema: text },
}
type HeaderName = keyof typeof headers

const always: readonly HeaderName[] = ['X-Request-Id', 'API-Version', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
const byStatus: Readonly<Record<string, readonly HeaderName[]>> = {
  202: ['Location', 'Retry-After'],
  401: ['WWW-Authenticate'],
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}
const referTo = (names: readonly HeaderName[]) => Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const meanings: Readonly<Record<string, string>> = {
  200: 'Done',
  302: 'Go to `Location`',
  303: 'Go to `Location`',
  201: 'Created',
  202: 'In progress: poll the job at `status_url`',
}

/** Registers the generator; it sees every route that is added afterwards. */
export const describeApi = async (app: FastifyInstance): Promise<void> => {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Incident Lab',
        version: descriptionVersion,
        description,
        license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      },
      tags,
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'A personal access token.' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-lab_session',
            description: 'A signed-in browser session; `lab_session` on http. Writes must come from a page of this service.',
          },
        },
      },
    },
    transform: (input) => {
      const { url, schema, route } = input
      const config = route.config ?? {}
      if (schema === undefined || !url.startsWith(basePath) || config.mounted === true) return { url, schema: { hide: true } }
      const kept = route.onRequest !== undefined
      const taken = z.object({ ...versionHeader, ...(config.recover === undefined ? {} : keyHeader), ...(kept ? etagHeader : {}) })
      const made = jsonSchemaTransform({ ...input, schema: { ...schema, headers: taken } as never })
      return { ...made, url: url.slice(basePath.length) }
    },
    transformObject: jsonSchemaTransformObject,
  })
}

const completed = (operation: OperationObject): OperationObject => {
  const takes = (header: string) => operation.parameters?.some(({ name }) => name === header) === true
  const own: HeaderName[] = [
    ...(takes('If-None-Match') ? (['ETag'] as const) : []),
    ...(takes('Idempotency-Key') ? (['Idempotent-Replayed'] as const) : []),
  ]
  const responses = Object.entries(operation.responses).map(([status, response]) => [
    status,
    {
      ...response,
      description: response.description === 'Default Response' ? (meanings[status] ?? 'Done') : response.description,
      headers: referTo([...always, ...(byStatus[status] ?? []), ...(status.startsWith('2') || status === '409' ? own : [])]),
    },
  ])
  const unchanged = takes('If-None-Match') ? { 304: { description: 'Not modified', headers: referTo([...always, 'ETag']) } } : {}
  return { ...operation, responses: { ...Object.fromEntries(responses), ...unchanged } }
}

/** Adds the list of error codes. The contract accepts any code, so that old clients keep working when codes are added. */
const withErrorCodes = (schemas: OpenApiDocument['components']['schemas']): Record<string, Schema> => {
  const { Error: envelope, ...rest } = structuredClone(schemas) as Record<
    string,
    { properties: { error: { properties: { code: object } } } }
  >
  if (envelope === undefined) throw new Error('the envelope has no schema')
  Object.assign(envelope.properties.error.properties.code, { enum: Object.keys(statusOf) })
  return { ...rest, Error: envelope } as unknown as Record<string, Schema>
}

/** The document for one of our hosts; call it when all routes are registered. */
export const openApiDocument = (app: FastifyInstance, roots: readonly string[]): OpenApiDocument => {
  const document = app.swagger() as unknown as OpenApiDocument
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, completed(operation)])),
  ])
  const cleaned = cleanUpSchemas({
    ...document,
    servers: roots.map((root, index) => ({ url: `${root}${basePath}`, description: index === 0 ? 'Primary host' : 'Direct host' })),
    paths: Object.fromEntries(paths),
    components: { ...document.components, headers },
  })
  return { ...cleaned, components: { ...cleaned.components, schemas: withErrorCodes(cleaned.components.schemas) } }
}
