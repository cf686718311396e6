// The REST API accepts the bodies that json-body.ts describes, and no others.

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { bodyRefusalOf, jsonType, parseJson } from '../json-body.ts'

/** The body of these is ignored. */
const bodyless = ['GET', 'HEAD']

const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

export const readBodies = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(jsonType, { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, (body as Buffer).length === 0 ? undefined : parseJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { method, headers } = request
    const refusal = bodyless.includes(method) || !hasBody(headers) ? undefined : bodyRefusalOf(headers)
    if (refusal === undefined) return done(null, payload)
    reply.headers(refusal.headers)
    done(refusal.error)
  })
}
