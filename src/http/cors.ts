// Lets pages of any origin read what is public and send a bearer token. Cookies stay out: with `*` as the origin, and without
// Access-Control-Allow-Credentials, a browser gives no page of another origin the answer to a request that carried a cookie, and
// sends none that needs a preflight. MCP and terminals check origins by rules of their own.

import type { FastifyInstance } from 'fastify'

const exposed = [
  ...['API-Version', 'Allow', 'Deprecation', 'ETag', 'Idempotent-Replayed', 'Link', 'Location', 'RateLimit-Limit', 'RateLimit-Remaining'],
  ...['RateLimit-Reset', 'Retry-After', 'Sunset', 'WWW-Authenticate', 'X-Request-Id'],
]
const accepted = ['API-Version', 'Authorization', 'Content-Type', 'Idempotency-Key', 'If-None-Match']
const preflightSeconds = 7200

/** The same on every response, also without an Origin, so that a shared cache keeps one version for all. */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposed.join(', '),
} as const

export const preflightHeaders = (methods: readonly string[]): Record<string, string> => ({
  'access-control-allow-methods': methods.join(', '),
  'access-control-allow-headers': accepted.join(', '),
  'access-control-max-age': String(preflightSeconds),
})

export const allowAllOrigins = (app: FastifyInstance): void => {
  app.addHook('onRequest', ({ routeOptions: { config } }, reply, done) => {
    if (config.mounted !== true || config.countsHere === true) reply.headers(corsHeaders)
    done()
  })
}
