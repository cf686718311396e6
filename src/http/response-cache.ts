// Caches responses that do not change while the service runs, as bytes, with their ETag.

import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { corsHeaders } from './cors.ts'

export interface CachedResponse {
  /** The pattern of the route that made it. */
  readonly route: string
  readonly body: Buffer
  /** The same, a character for each byte: a text goes out in one piece with its headers, a buffer in a second one. */
  readonly bytesAsText: string
  /** Including ETag and Content-Length. */
  readonly headers: Readonly<Record<string, string>>
  /** The same, as one list of names and values. */
  readonly rawHeaders: readonly string[]
}

/** Limits on the number and length of keys, so that many different requests cannot fill the memory. */
const mostResponses = 500
const longestKey = 256

const cacheControl = 'public, max-age=0, must-revalidate'
const keptHeaders = [
  ...['content-type', 'content-security-policy', 'deprecation', 'sunset', 'link', 'api-version'],
  ...Object.keys(corsHeaders),
]

const matches = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((part) => {
    const tag = part.trim().replace(/^W\//, '')
    return tag === etag || tag === '*'
  }) === true

const toCached = (request: FastifyRequest, reply: FastifyReply, text: string): CachedResponse => {
  const body = Buffer.from(text)
  const headers = {
    ...Object.fromEntries(keptHeaders.flatMap((name) => (reply.hasHeader(name) ? [[name, String(reply.getHeader(name))]] : []))),
    'cache-control': cacheControl,
    'content-length': String(body.length),
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
  }
  return {
    route: request.routeOptions.url ?? '',
    body,
    bytesAsText: body.toString('latin1'),
    headers,
    rawHeaders: Object.entries(headers).flat(),
  }
}

/** The key of a response is all that it depends on: for a route that knows its parameters, the URL. */
export const createResponseCache = (keyOf: (request: FastifyRequest) => string = ({ raw }) => raw.url ?? '') => {
  const cache = new Map<string, CachedResponse>()

  const find = (key: string): CachedResponse | undefined => cache.get(key)

  return {
    find,

    /** The hooks of a route whose responses are cached. */
    hooks: {
      onRequest: (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
        const known = find(keyOf(request))
        if (known === undefined) return done()
        if (matches(request.headers['if-none-match'], known.headers.etag as string)) {
          const { 'content-length': _, 'content-type': __, ...headers } = known.headers
          reply.code(304).headers(headers).send()
        } else {
          reply.headers(known.headers).send(known.body)
        }
      },

      onSend: (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: (error: Error | null, payload?: unknown) => void) => {
        if (reply.statusCode !== 200 || reply.hasHeader('etag')) return done(null, payload)
        const made = toCached(request, reply, String(payload))
        const key = keyOf(request)
        if (key.length <= longestKey) {
          if (cache.size >= mostResponses) cache.clear()
          cache.set(key, made)
        }
        reply.headers(made.headers)
        if (!matches(request.headers['if-none-match'], made.headers.etag as string)) return done(null, made.body)
        reply.code(304).removeHeader('content-type').removeHeader('content-length')
        done(null, request.method === 'HEAD' ? '' : null) // HEAD has the headers of a GET and no body
      },
    },
  }
}

export type ResponseCache = ReturnType<typeof createResponseCache>
