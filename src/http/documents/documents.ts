// The documents at the root of each host: OpenAPI, reference, well-known files, llms.txt. All are generated from the operations and
// from one list, so that none can become outdated.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { basePath } from '../../contract/api-version.ts'
import type { Hosts } from '../../hosts.ts'
import { createResponseCache } from '../response-cache.ts'
import { llmsText } from './llms.ts'
import { openApiDocument } from './openapi.ts'
import type { OpenApiDocument } from './openapi-types.ts'
import { referencePage, referencePolicy } from './reference.ts'
import { serveBundle } from './reference-bundle.ts'
import type { Values } from './template.ts'
import { type Numbers, valuesOf } from './values.ts'

export interface DocumentOptions {
  readonly hosts: Hosts
  readonly numbers: Numbers
  readonly securityContact: string | undefined
  readonly now: () => Date
}

interface Place {
  readonly root: string
  readonly values: Values
  readonly openApi: () => OpenApiDocument
}

interface RootDocument {
  readonly path: string
  readonly title: string
  readonly type: string
  readonly make: (place: Place) => string
}

const json = (value: unknown) => JSON.stringify(value)
const resourceDocument = '/.well-known/oauth-protected-resource'

/** RFC 9728. It has no authorization server, so it names none. */
const protectedResource = (resource: string): RootDocument => ({
  path: `${resourceDocument}${resource}`,
  title: 'Credential requirements',
  type: 'application/json',
  make: ({ root }) =>
    json({
      resource: `${root}${resource || basePath}`,
      resource_name: 'Incident Lab',
      bearer_methods_supported: ['header'],
      resource_documentation: `${root}/docs`,
    }),
})

/** RFC 9727. */
const apiCatalog = (root: string) => ({
  linkset: [
    {
      anchor: `${root}${basePath}`,
      'service-desc': [{ href: `${root}/openapi.json`, type: 'application/json' }],
      'service-doc': [{ href: `${root}/docs`, type: 'text/html' }],
      status: [{ href: `${root}${basePath}/health`, type: 'application/json' }],
    },
    {
      anchor: `${root}${basePath}/mcp`,
      'service-desc': [{ href: `${root}${basePath}/mcp/server-card`, type: 'application/mcp-server-card+json' }],
      'service-doc': [{ href: `${root}/docs`, type: 'text/html' }],
    },
  ],
})

const securityText = (root: string, contact: string | undefined, now: Date): string => {
  const expires = new Date(Date.UTC(now.getUTCFullYear() + 1, now.getUTCMonth(), 1)).toISOString()
  return [
    `Contact: ${contact ?? `${root}/docs#description/security`}`,
    `Expires: ${expires}`,
    `Canonical: ${root}/.well-known/security.txt`,
    'Preferred-Languages: en',
    '',
  ].join('\n')
}

const documentsOf = ({ securityContact, now }: DocumentOptions): RootDocument[] => {
  const documents: RootDocument[] = [
    { path: '/openapi.json', title: 'OpenAPI 3.1 document', type: 'application/json', make: ({ openApi }) => json(openApi()) },
    { path: '/docs', title: 'API reference for people', type: 'text/html; charset=utf-8', make: referencePage },
    {
      path: '/.well-known/api-catalog',
      title: 'API catalog',
      type: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
      make: ({ root }) => json(apiCatalog(root)),
    },
    {
      path: '/.well-known/security.txt',
      title: 'Where to report a vulnerability',
      type: 'text/plain; charset=utf-8',
      make: ({ root }) => securityText(root, securityContact, now()),
    },
    protectedResource(''),
    protectedResource(basePath),
    protectedResource(`${basePath}/mcp`),
  ]
  const listed = documents.filter(({ path }) => !path.startsWith(`${resourceDocument}/`))
  return [
    ...documents,
    {
      path: '/llms.txt',
      title: 'A whole drill for language models',
      type: 'text/plain; charset=utf-8',
      make: ({ values, openApi }) => llmsText(values, openApi(), listed),
    },
  ]
}

export const serveDocuments = (app: FastifyInstance, options: DocumentOptions): void => {
  const rootOf = (request: FastifyRequest) => options.hosts.rootUrlFor(request.headers.host)
  const placeFor = (root: string): Place => {
    const values = valuesOf(root, options.numbers)
    const roots = [root, ...options.hosts.all().filter((other) => other !== root)]
    return { root, values, openApi: () => openApiDocument(app, roots, values) }
  }
  for (const { path, type, make } of documentsOf(options)) {
    const { hooks } = createResponseCache(rootOf) // whatever the query, which no document has
    app.get(path, { config: { public: true }, schema: { hide: true } as never, ...hooks }, async (request, reply: FastifyReply) => {
      if (type.startsWith('text/html')) reply.header('content-security-policy', referencePolicy(options.hosts.all()))
      return reply.header('content-type', type).send(Buffer.from(make(placeFor(rootOf(request)))))
    })
  }
  serveBundle(app)
}
