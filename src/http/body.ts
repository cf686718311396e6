// The REST API accepts the bodies that json-body.ts describes, and no others. Pages accept short forms, and webhooks keep the bytes.

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { bodyRefusalOf, jsonType, parseJson } from '../json-body.ts'
import { invalidField } from '../validation-messages.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for pages, whose forms come in the format of HTML forms. */
    takesForms?: boolean
  }
}

/** The body of these is ignored. */
const bodyless = ['GET', 'HEAD']

const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** The framework takes a body that is null for none at all, which some operations allow. */
const parseBody = (bytes: Buffer): unknown => {
  const body = parseJson(bytes)
  if (body === null) throw invalidField('body', 'must be an object')
  return body
}

export const readBodies = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(jsonType, { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, (body as Buffer).length === 0 ? undefined : parseBody(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { method, headers } = request
    if (request.routeOptions.config.takesForms === true) return done(null, payload)
    const refusal = bodyless.includes(method) || !hasBody(headers) ? undefined : bodyRefusalOf(headers)
    if (refusal === undefined) return done(null, payload)
    reply.headers(refusal.headers)
    done(refusal.error)
  })
}

/** What a page takes is short, and comes from its own form. */
const formBytes = 4096

/** For a scope of pages: a body is a form, read into an object; of a name that comes twice the last value counts. */
export const readForms = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  const options = { parseAs: 'string', bodyLimit: formBytes } as const
  scope.addContentTypeParser('application/x-www-form-urlencoded', options, (_request, body, done) => {
    done(null, Object.fromEntries(new URLSearchParams(String(body))))
  })
}

/** For a scope of webhooks: a body is checked by its headers as everywhere, but left as the bytes that were signed. */
export const keepBytes = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(jsonType, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}
