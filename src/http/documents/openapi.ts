// Generates the OpenAPI 3.1 document from the registered operations.

import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { apiVersions, basePath, descriptionVersion } from '../../contract/api-version.ts'
import { terminalPath } from '../../contract/terminal.ts'
import { statusOf } from '../../errors.ts'
import { securitySchemes } from '../security-schemes.ts'
import { withSample } from './code-samples.ts'
import { errorExamplesIn, withExamples } from './examples.ts'
import { guideOf } from './guide.ts'
import { createLinker } from './links.ts'
import { type HeaderName, headers, headersOf } from './openapi-headers.ts'
import { mapOperations, type OpenApiDocument, type OperationObject, type Schema, type Server } from './openapi-types.ts'
import { cleanUpSchemas } from './schema-cleanup.ts'
import { shareResponses } from './shared-responses.ts'
import type { Values } from './template.ts'
import { terminalOperation } from './terminal-operation.ts'

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
        '`idempotency_answer_not_kept`. A key belongs to its caller, method and path, and a replay costs one request of the operation. ' +
        'Without a credential it has no effect.',
    ),
}
const etagHeader = { 'If-None-Match': z.string().optional().describe('An earlier `ETag`: 304 when nothing has changed.') }

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
      info: { title: 'Incident Lab', version: descriptionVersion, license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' } },
      components: { securitySchemes },
    },
    transform: (input) => {
      const { url, schema, route } = input
      const config = route.config ?? {}
      if (schema === undefined || config.mounted === true) return { url, schema: { hide: true } }
      const kept = route.onRequest !== undefined
      const taken = z.object({ ...versionHeader, ...(config.recover === undefined ? {} : keyHeader), ...(kept ? etagHeader : {}) })
      const made = jsonSchemaTransform({ ...input, schema: { ...schema, headers: taken } as never })
      return { ...made, url: url.startsWith(basePath) ? url.slice(basePath.length) : url }
    },
    transformObject: jsonSchemaTransformObject,
  })
}

const withHeaders = (operation: OperationObject): OperationObject => {
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
      headers: headersOf(status, status.startsWith('2') || status === '409' ? own : []),
    },
  ])
  const unchanged = takes('If-None-Match') ? { 304: { description: 'Not modified', headers: headersOf('304', ['ETag']) } } : {}
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

/** The document for one of our hosts, which is the first root; call it when all routes are registered. */
export const openApiDocument = (app: FastifyInstance, roots: readonly string[], values: Values): OpenApiDocument => {
  const document = app.swagger() as unknown as OpenApiDocument
  const found = { ...document.paths, [terminalPath]: { get: terminalOperation } }
  const linked = createLinker(found)
  const [root = ''] = roots
  const serversAt = (path: string): Server[] =>
    roots.map((one, index) => ({ url: `${one}${path}`, description: index === 0 ? 'Primary host' : 'Direct host' }))
  const placed = (operation: OperationObject) => (operation.servers === undefined ? operation : { ...operation, servers: serversAt('') })
  const sampled = withSample(root)
  const complete = (operation: OperationObject) => placed(linked(withExamples(withHeaders(operation), root)))
  const paths = mapOperations(found, (operation, path, method) => sampled(complete(operation), path, method))
  const { description, tags } = guideOf(values)
  const cleaned = cleanUpSchemas({
    ...document,
    info: { ...document.info, description },
    servers: serversAt(basePath),
    tags,
    paths,
    components: { ...document.components, headers, examples: errorExamplesIn(paths) },
  })
  return shareResponses({ ...cleaned, components: { ...cleaned.components, schemas: withErrorCodes(cleaned.components.schemas) } })
}
