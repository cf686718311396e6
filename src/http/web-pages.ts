// Serves the web app: its HTML for each of its pages, with 404 where there is no such course, and the files that the HTML loads. Browsers
// get a page, programs the same errors as elsewhere. Where the app is not built, the page says so.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { basePath } from '../contract/api-version.ts'
import { pagePaths } from '../contract/page-paths.ts'
import { LabError } from '../errors.ts'
import { acceptsGzip } from './accepts-gzip.ts'
import { sendPage, wantsPage } from './html-page.ts'
import { pathIn } from './methods.ts'
import type { WebFile, WebFiles } from './web-files.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers with the HTML of the web app. */
    sendWebApp: (request: FastifyRequest, reply: FastifyReply) => FastifyReply
  }
}

/** Programs, styles and data of this host, and nothing else; `'self'` covers the WebSocket of terminals too. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const notBuilt = {
  title: 'The web app is not built',
  body: '<p>This server was started without its pages. Its operator builds them by starting it again.</p><p>The API is at work: <a href="/docs">its reference</a>.</p>',
}

const sendFile = (request: FastifyRequest, reply: FastifyReply, { type, body, gzipped, etag }: WebFile): FastifyReply => {
  reply.headers({ etag, 'x-content-type-options': 'nosniff' })
  if (request.headers['if-none-match'] === etag && reply.statusCode === 200) return reply.code(304).send()
  reply.header('content-type', type)
  if (gzipped === null || !acceptsGzip(request.headers['accept-encoding'])) return reply.send(body)
  return reply.header('content-encoding', 'gzip').send(gzipped)
}

/** The HTML of the app, which finds out by itself what its address means. */
const sendApp = (request: FastifyRequest, reply: FastifyReply, files: WebFiles | null, status: 200 | 404): FastifyReply => {
  reply.header('vary', 'accept, accept-encoding, cookie')
  if (files === null) return sendPage(reply, status === 200 ? 503 : status, notBuilt)
  reply.code(status).headers({
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': request.caller === null ? 'no-cache' : 'private, no-cache',
  })
  return sendFile(request, reply, request.browserSessionId === null ? files.page.signedOut : files.page.signedIn)
}

const hidden = { config: { public: true }, schema: { hide: true } as never }

/** People are sent to these by programs, which look at the answer: they get the page, too. */
const forEverybody: readonly string[] = [pagePaths.signIn, pagePaths.pricing]
/** Sent by routes of their own, which look first who asks. */
const elsewhere: readonly string[] = [pagePaths.checkout]

/** What an address may name and everybody may know of. A lab or a replay is a page whatever its id is: that there is one is not for others. */
export interface NamedThings {
  readonly hasCourse: (id: string) => boolean
}

export const serveWebPages = (app: FastifyInstance, files: WebFiles | null, { hasCourse }: NamedThings): void => {
  const statusOf = (path: string, params: unknown): 200 | 404 =>
    path === pagePaths.course && !hasCourse((params as { readonly courseId: string }).courseId) ? 404 : 200

  app.decorate('sendWebApp', (request: FastifyRequest, reply: FastifyReply) => sendApp(request, reply, files, 200))
  app.get('/assets/:name', hidden, async (request, reply) => {
    const file = files?.assets.get((request.params as { readonly name: string }).name)
    if (file === undefined) throw new LabError('not_found', 'there is no such file')
    reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
    return sendFile(request, reply, file)
  })
  for (const path of Object.values(pagePaths)) {
    if (elsewhere.includes(path)) continue
    app.get(path, hidden, async (request, reply) => {
      if (wantsPage(request) || forEverybody.includes(path)) return sendApp(request, reply, files, statusOf(path, request.params))
      reply.header('vary', 'accept')
      if (path === '/') return reply.redirect('/docs') // where programs, and those who write them, begin
      throw new LabError('not_found', 'this is a page for browsers', { hint: `the API is below ${basePath}; GET /docs shows all routes` })
    })
  }
}

/** What only programs ask for: an error there is never a page. */
const ofPrograms = /^\/(?:api|\.well-known|assets)(?:\/|$)/

/** Shows people who open a path that does not exist a page. Comes before the refusal of unknown routes, and leaves everything else to it. */
export const showUnknownPages = (app: FastifyInstance, files: WebFiles | null): void => {
  app.addHook('onRequest', (request, reply, done) => {
    const isPage = request.is404 && ['GET', 'HEAD'].includes(request.method) && wantsPage(request)
    if (!isPage || ofPrograms.test(pathIn(request.raw.url ?? ''))) return done()
    sendApp(request, reply, files, 404)
  })
}
