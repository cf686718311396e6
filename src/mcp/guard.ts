// Checks Host and Origin of requests to the endpoint, against DNS rebinding: the host must be one of ours, and the origin must be
// ours, allowed by the operator, or on this machine.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { allowed } from './responses.ts'

const loopback = ['localhost', '127.0.0.1', '[::1]']
const allowedHeaders = 'authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id'

const servedHosts = (roots: readonly URL[], port: number | undefined): string[] => {
  const names = roots.flatMap((root) => [root.host, `${root.hostname}:${root.port || (root.protocol === 'https:' ? 443 : 80)}`])
  const here = loopback.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]))
  return [...names, ...here]
}

const isOurs = (origin: string, origins: readonly string[]): boolean => {
  if (!URL.canParse(origin)) return false
  const page = new URL(origin)
  return origins.includes(page.origin) || (/^https?:$/.test(page.protocol) && loopback.includes(page.hostname))
}

/** Why a request that arrived at this port must not be served, or null. */
export const refusalOf = (
  { host = '', origin }: { readonly host?: string | undefined; readonly origin?: string | undefined },
  port: number | undefined,
  rootUrls: readonly string[],
  origins: readonly string[] = rootUrls,
): string | null => {
  const roots = rootUrls.map((url) => new URL(url))
  if (!servedHosts(roots, port).includes(host.toLowerCase())) {
    return 'this host is not served here; /.well-known/mcp.json names the address of this endpoint'
  }
  return origin === undefined || isOurs(origin, origins) ? null : 'pages of this origin may not call this endpoint'
}

/** Adds the CORS headers, so that the page may read the response. */
export const allowOrigin = (request: IncomingMessage, response: ServerResponse): void => {
  response.setHeader('vary', 'origin')
  if (request.headers.origin === undefined) return
  response.setHeader('access-control-allow-origin', request.headers.origin)
  response.setHeader('access-control-expose-headers', 'x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset')
}

export const answerPreflight = (response: ServerResponse, methods: readonly string[]): void => {
  response
    .writeHead(204, {
      allow: allowed(methods),
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': allowedHeaders,
      'access-control-max-age': '600',
    })
    .end()
}
