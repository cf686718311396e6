// The HTTP server: routes, authentication, errors, request ids and one log line per request. Knows features, not engines.

import { readdir } from 'node:fs/promises'
import { type IncomingMessage, maxHeaderSize, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawServerDefault,
} from 'fastify'
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Clock } from '../clock.ts'
import { apiVersions, basePath, bodyLimit } from '../contract/api-version.ts'
import { LabError } from '../errors.ts'
import type { Features } from '../features.ts'
import type { Hosts } from '../hosts.ts'
import { createId } from '../ids.ts'
import type { Log } from '../log.ts'
import { type RateLimit, rateHeaders } from '../rate-limit.ts'
import type { AnsweredRequest, RequestLog } from '../request-log.ts'
import { authenticateRequests, requireCallers } from './authentication.ts'
import { readBodies } from './body.ts'
import { keepOutOfCaches } from './caching.ts'
import { createConnections } from './connections.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { allowAllOrigins, corsHeaders } from './cors.ts'
import { serveDocuments } from './documents/documents.ts'
import { describeApi } from './documents/openapi.ts'
import { numbersOf } from './documents/values.ts'
import { answerBrokenHttp, type HeadersFor, handleErrors, sendError } from './error-responses.ts'
import { createFastPath, interceptRequests } from './fast-path.ts'
import { closeGracefully } from './graceful-close.ts'
import { rememberWrites } from './idempotency.ts'
import { addJobHeaders } from './job-headers.ts'
import { rememberMethods } from './methods.ts'
import { createMetrics, serveMetrics } from './metrics.ts'
import { countRequests } from './rate-counting.ts'
import { createResponseBacklog } from './response-backlog.ts'
import { createResponseCache, type ResponseCache } from './response-cache.ts'
import { guardUpgrades, isTerminal } from './upgrades.ts'
import { validateRequests } from './validation.ts'
import { announceVersions, applyVersions, type Deprecation, deprecations } from './versioning.ts'
import type { WebFiles } from './web-files.ts'
import { serveWebPages, showUnknownPages } from './web-pages.ts'

declare module 'fastify' {
  interface FastifyInstance {
    hosts: Hosts
    cookies: Cookies
  }
}

export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, ZodTypeProvider>

/** What every file below routes/ and root-routes/ exports as `routes`. */
export type Routes = (app: App, features: Features, cache: ResponseCache) => void

/** A path that another module (MCP) answers by itself, including the body, credentials, rate limits and errors. */
export interface Mount {
  readonly path: string
  /** A document that anybody may read, whatever the credential; its requests are counted here. */
  readonly isDocument?: boolean
  /** All others of a path that is no document are passed on, too, for it to refuse. */
  readonly methods: readonly string[]
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    origin: { readonly address: string; readonly requestId: string },
  ): Promise<void>
}

export interface AppOptions {
  readonly log: Log
  /** Receives one line per request. */
  readonly requestLog: RequestLog
  readonly clock: Clock
  readonly hosts: Hosts
  /** Null where requests are not limited. */
  readonly rateLimit: RateLimit | null
  readonly trustedProxies: readonly string[]
  /** The token that allows reading metrics; without one they are not served. */
  readonly metricsToken: string | undefined
  readonly securityContact: string | undefined
  readonly mounts: readonly Mount[]
  /** The built web app; null where it is not built. */
  readonly webFiles: WebFiles | null
  /** Deprecated routes. */
  readonly deprecations?: readonly Deprecation[]
}

const loadRoutes = async (folderName: string): Promise<Routes[]> => {
  const folder = join(import.meta.dirname, folderName)
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts')).sort()
  return Promise.all(files.map(async (name) => ((await import(pathToFileURL(join(folder, name)).href)) as { routes: Routes }).routes))
}

const noteRequests = (app: FastifyInstance, note: (answered: AnsweredRequest) => void): void => {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? '(none)'
    const { id: request_id, method, caller } = request
    note({ request_id, method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime), account: caller?.accountId })
    done()
  })
}

/** Passes requests to their mount before the body is read. */
const addMounts = (app: FastifyInstance, mounts: readonly Mount[]): void => {
  for (const { path, methods, isDocument = false, handle } of mounts) {
    const take = async (request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack()
      for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value)
      await handle(request.raw, reply.raw, { address: request.ip, requestId: request.id })
    }
    const method = isDocument ? [...methods] : app.supportedMethods
    const config = { mounted: true, countsHere: isDocument, ...(isDocument ? {} : { serves: methods }) }
    app.route({ url: path, method, config, onRequest: take, handler: async () => undefined })
  }
}

/** Sends the error envelope where Node and Fastify would send responses of their own. */
const refuseEarly = (app: FastifyInstance): void => {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.headers.host !== undefined || request.raw.httpVersion !== '1.1') return done()
    done(new LabError('invalid_request', 'the Host header is missing'))
  })
}

export const createApp = async (features: Features, options: AppOptions): Promise<App> => {
  const { hosts, rateLimit } = options
  const outsideHooks: HeadersFor = (address) => ({
    'api-version': apiVersions[0],
    ...corsHeaders,
    ...rateHeaders(rateLimit?.take({ kind: 'anonymous', address }, 'read') ?? null),
  })
  const connections = createConnections({ limits: features.limits, trustedProxies: options.trustedProxies })
  const responseBacklog = createResponseBacklog({
    onClosed: (closed) => options.log.info(closed, 'connections were closed because their responses were not read'),
  })
  const metrics = createMetrics()
  const note = (answered: AnsweredRequest) => {
    metrics.count(answered)
    options.requestLog(answered)
  }
  const cache = createResponseCache()
  const app = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: createId,
    bodyLimit,
    requestTimeout: 60_000,
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: maxHeaderSize }, // how long a parameter may be, the contract says
    http: { shouldUpgradeCallback: isTerminal, requireHostHeader: false },
    return503OnClosing: false,
    clientErrorHandler: answerBrokenHttp(outsideHooks, (method, target) => methods.refusalOf(method, target)),
    frameworkErrors: (error, request, reply) => {
      reply.headers(outsideHooks(request.ip))
      sendError(reply, error, hosts)
    },
  })
  app.setValidatorCompiler(validateRequests)
  app.setSerializerCompiler(serializerCompiler)
  const methods = rememberMethods(app)
  await describeApi(app)
  readBodies(app)
  app.setChildLoggerFactory((logger) => logger) // creating a logger per request would cost more than most requests
  noteRequests(app, note)
  allowAllOrigins(app)
  keepOutOfCaches(app)
  announceVersions(app, options.deprecations ?? deprecations)
  guardUpgrades(app, hosts)
  refuseEarly(app)
  closeGracefully(app)
  connections.countRequests(app)
  responseBacklog.attributeRequests(app)
  const cookies = createCookies(hosts)
  app.decorate('hosts', hosts)
  app.decorate('cookies', cookies)
  authenticateRequests(app, { tokens: features.tokens, sessions: features.browserSessionGate, labEntry: features.labEntry, cookies, hosts })
  countRequests(app, rateLimit)
  requireCallers(app)
  showUnknownPages(app, options.webFiles)
  methods.refuseUnknownRoutes()
  applyVersions(app)
  rememberWrites(app, {
    requests: features.requests,
    sessionIdOf: features.access.sessionIdOf,
    restore: features.restoredResponses.restore,
    mostBytes: features.limits.keptAnswerBytes,
  })
  addJobHeaders(app)
  handleErrors(app, hosts, features.ownAccount)
  serveMetrics(app, metrics, { capacity: features.capacity, token: options.metricsToken, rateLimit })
  addMounts(app, options.mounts)
  serveDocuments(app, { hosts, numbers: numbersOf(features), securityContact: options.securityContact, now: options.clock.now })
  const courses = new Set([...features.catalog.scenarios, ...features.catalog.drafts].map(({ id }) => id))
  serveWebPages(app, options.webFiles, { hasCourse: (id) => courses.has(id) })
  const [routes, rootRoutes] = await Promise.all([loadRoutes('routes'), loadRoutes('root-routes')])
  await app.register(
    async (api) => {
      const typed = api.withTypeProvider<ZodTypeProvider>()
      for (const add of routes) add(typed, features, cache)
    },
    { prefix: basePath },
  )
  // Each in a scope of its own: some read bodies in another way.
  for (const add of rootRoutes) await app.register(async (scope) => add(scope.withTypeProvider<ZodTypeProvider>(), features, cache))
  methods.refuseShadowedMethods()
  connections.watch(app.server)
  const fastPath = createFastPath({ cache, rateLimit, note })
  // During shutdown the router answers, with 503.
  interceptRequests(app.server, (request, response) => app.server.listening && fastPath(request, response))
  responseBacklog.watch(app.server)
  return app.withTypeProvider<ZodTypeProvider>()
}
