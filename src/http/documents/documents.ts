// The documents at the root of each host: OpenAPI, reference, well-known files, llms.txt. All are generated from the operations and
// from one list, so that none can become outdated.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { basePath } from '../../contract/api-version.ts'
import type { Hosts } from '../../hosts.ts'
import { createResponseCache } from '../response-cache.ts'
import { llmsText } from './llms.ts'
import { openApiDocument } from './openapi.ts'
import type { OpenApiDocument } from './openapi-types.ts'
import { referencePage } from './reference.ts'

export interface DocumentOptions {
  readonly hosts: Hosts
  readonly securityContact: string | undefined
  readonly now: () => Date
}

interface Place {
  readonly root: string
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
    `Contact: ${contact ?? `${root}/docs#security`}`,
    `Expires: ${expires}`,
    `Canonical: ${root}/.well-known/security.txt`,
    'Preferred-Languages: en',
    '',
  ].join('\n')
}

const documentsOf = ({ securityContact, now }: DocumentOptions): RootDocument[] => {
  const documents: RootDocument[] = [
    { path: '/openapi.json', title: 'OpenAPI 3.1 document', type: 'application/json', make: ({ openApi }) => json(openApi()) },
    { path: '/docs', title: 'API reference for people', type: 'text/html; charset=utf-8', make: ({ openApi }) => referencePage(openApi()) },
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
      title: 'This list',
      type: 'text/plain; charset=utf-8',
      make: ({ root, openApi }) => llmsText(root, openApi(), listed),
    },
  ]
}

/** The Content-Security-Policy: no scripts, and nothing from other hosts. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"

export const serveDocuments = (app: FastifyInstance, options: DocumentOptions): void => {
  const rootOf = (request: FastifyRequest) => options.hosts.rootUrlFor(request.headers.host)
  const openApiFor = (root: string) => openApiDocument(app, [root, ...options.hosts.all().filter((other) => other !== root)])
  for (const { path, type, make } of documentsOf(options)) {
    const { hooks } = createResponseCache(rootOf)
    app.get(path, { config: { public: true }, schema: { hide: true } as never, ...hooks }, async (request, reply: FastifyReply) => {
      const root = rootOf(request)
      if (type.startsWith('text/html')) reply.header('content-security-policy', pagePolicy)
      return reply.header('content-type', type).send(Buffer.from(make({ root, openApi: () => openApiFor(root) })))
    })
  }
}
