// Reads whose answer changes only with the service itself: made once, kept as bytes, and told apart by their ETag.

import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

interface Kept {
  readonly body: Buffer
  readonly etag: string
  /** Those that belong to the content itself. */
  readonly headers: Readonly<Record<string, string>>
}

/** Addresses that are remembered, and the longest of them: whoever asks for many fills no memory. */
const mostKept = 500
const longestAddress = 256

const contentHeaders = ['content-type', 'content-security-policy'] as const
const cacheControl = 'public, max-age=0, must-revalidate'

const matches = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((part) => {
    const tag = part.trim().replace(/^W\//, '')
    return tag === etag || tag === '*'
  }) === true

const answer = (request: FastifyRequest, reply: FastifyReply, { body, etag, headers }: Kept) => {
  reply.header('etag', etag).header('cache-control', cacheControl)
  return matches(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.headers(headers).send(body)
}

/** The hooks of a route whose answers are kept. `vary` tells apart what the address alone does not. */
export const createKeptReads = (vary: (request: FastifyRequest) => string = () => '') => {
  const kept = new Map<string, Kept>()
  const keyOf = (request: FastifyRequest) => `${vary(request)} ${request.raw.url}`

  return {
    onRequest: (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
      const known = kept.get(keyOf(request))
      if (known === undefined) return done()
      answer(request, reply, known)
    },

    onSend: (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: (error: Error | null, payload?: unknown) => void) => {
      if (reply.statusCode !== 200 || reply.hasHeader('etag')) return done(null, payload)
      const body = Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload))
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
      const headers = Object.fromEntries(
        contentHeaders.flatMap((name) => (reply.hasHeader(name) ? [[name, String(reply.getHeader(name))]] : [])),
      )
      if ((request.raw.url ?? '').length <= longestAddress) {
        if (kept.size >= mostKept) kept.clear()
        kept.set(keyOf(request), { body, etag, headers })
      }
      reply.header('etag', etag).header('cache-control', cacheControl)
      if (!matches(request.headers['if-none-match'], etag)) return done(null, body)
      reply.code(304).removeHeader('content-type').removeHeader('content-length')
      done(null, request.method === 'HEAD' ? '' : null) // HEAD measures what it does not send
    },
  }
}
