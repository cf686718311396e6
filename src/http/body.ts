// The REST API accepts bodies in JSON and UTF-8 only, parsed by json-body.ts. Other types, charsets and content encodings are refused
// without reading the body.

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { LabError } from '../errors.ts'
import { parseJson } from '../json-body.ts'

const mediaType = /^application\/json\s*(;.*)?$/i
/** US-ASCII is a part of UTF-8. */
const charsets = ['utf-8', 'utf8', 'us-ascii']
/** The body of these is ignored. */
const bodyless = ['GET', 'HEAD']

const unsupported = (message: string, hint: string) => new LabError('unsupported_media_type', message, { hint })

const charsetIn = (contentType: string): string => /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8'

const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const isEncoded = ({ 'content-encoding': encoding = '' }: IncomingHttpHeaders): boolean =>
  !['', 'identity'].includes(encoding.trim().toLowerCase())

/** Why a body cannot be read, or undefined. */
const refusalOf = (headers: IncomingHttpHeaders): LabError | undefined => {
  const contentType = headers['content-type'] ?? ''
  if (isEncoded(headers)) {
    return unsupported('the body has a content encoding, and none is supported', 'send it as it is, without Content-Encoding')
  }
  if (!mediaType.test(contentType)) return unsupported('the body must be JSON', 'send Content-Type: application/json')
  if (charsets.includes(charsetIn(contentType))) return undefined
  return unsupported('the body must be in UTF-8', 'send Content-Type: application/json without a charset')
}

export const readBodies = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(mediaType, { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, (body as Buffer).length === 0 ? undefined : parseJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { method, headers } = request
    const refusal = bodyless.includes(method) || !hasBody(headers) ? undefined : refusalOf(headers)
    if (refusal === undefined) return done(null, payload)
    if (isEncoded(headers)) reply.header('accept-encoding', 'identity')
    done(refusal)
  })
}
