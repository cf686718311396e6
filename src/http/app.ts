// The HTTP edge: routes, credentials, errors, request ids and one log line per request. Knows features, not engines.

import { readdir } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
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
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Accounts } from '../accounts/accounts.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Health } from '../contract/health.ts'
import { terminalPath } from '../contract/terminal.ts'
import { LabError } from '../errors.ts'
import type { Evaluations } from '../grading/evaluations.ts'
import { createId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Access } from '../sandboxes/access.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import type { Terminals } from '../sandboxes/terminals.ts'
import { authenticateRequests } from './auth.ts'
import { answerBrokenHttp, handleErrors, sendError } from './errors.ts'

export interface Features {
  readonly accounts: Accounts
  readonly catalog: Catalog
  readonly access: Access
  readonly sandboxes: Sandboxes
  readonly terminals: Terminals
  readonly evaluations: Evaluations
  readonly health: () => Promise<Health>
}

export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, ZodTypeProvider>

/** What every file below routes/ exports as `routes`. */
export type Routes = (app: App, features: Features) => void

/** A path that another edge answers by itself: it reads the body, decides about credentials and words its errors. */
export interface Mount {
  readonly path: string
  /** All of them by default. */
  readonly methods?: readonly string[]
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    origin: { readonly address: string; readonly requestId: string },
  ): Promise<void>
}

export interface AppOptions {
  readonly log: Log
  readonly rootUrl: () => string
  readonly mounts: readonly Mount[]
}

const routesFolder = join(import.meta.dirname, 'routes')
const bodyLimit = 1024 * 1024
const apiPrefix = '/api/v1'

/** Any other upgrade that is asked for (Java's client offers h2c) is left aside: the request is served as it is. */
const isTerminal = ({ headers, url }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && url?.split('?')[0] === apiPrefix + terminalPath

const loadRoutes = async (): Promise<Routes[]> => {
  const files = (await readdir(routesFolder)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts')).sort()
  return Promise.all(files.map(async (name) => ((await import(pathToFileURL(join(routesFolder, name)).href)) as { routes: Routes }).routes))
}

const logRequests = (app: FastifyInstance): void => {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? '(none)'
    request.log.info(
      { method: request.method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime), account: request.caller?.login },
      'request',
    )
  })
}

/** Hands requests over before anything of them is read. */
const addMounts = (app: FastifyInstance, mounts: readonly Mount[]): void => {
  for (const { path, methods, handle } of mounts) {
    const take = async (request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack()
      reply.raw.setHeader('x-request-id', request.id)
      await handle(request.raw, reply.raw, { address: request.ip, requestId: request.id })
    }
    const method = [...(methods ?? app.supportedMethods)]
    app.route({ url: path, method, config: { mounted: true }, onRequest: take, handler: async () => undefined })
  }
}

/** Answers with the envelope where Node and Fastify have a bare answer of their own. */
const refuseEarly = (app: FastifyInstance): void => {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.removeContentTypeParser('text/plain')
  app.addHook('onRequest', async (request) => {
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw new LabError('invalid_request', 'the Host header is missing')
    }
    if (closing) throw new LabError('shutting_down', 'the service is shutting down', { hint: 'try again shortly', retryAfterSeconds: 5 })
  })
  // A connection that was busy when the server began to close must not stay open afterwards.
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close')
  })
}

export const createApp = async (features: Features, options: AppOptions): Promise<App> => {
  const app = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: createId,
    bodyLimit,
    requestTimeout: 60_000,
    http: { shouldUpgradeCallback: isTerminal, requireHostHeader: false },
    return503OnClosing: false,
    clientErrorHandler: answerBrokenHttp,
    frameworkErrors: (error, _request, reply) => {
      sendError(reply as unknown as FastifyReply, error, options.rootUrl)
    },
  }).withTypeProvider<ZodTypeProvider>()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  const plain = app as unknown as FastifyInstance
  logRequests(plain)
  refuseEarly(plain)
  authenticateRequests(plain, features.accounts)
  handleErrors(plain, options.rootUrl)
  addMounts(plain, options.mounts)
  const routes = await loadRoutes()
  await app.register(
    async (api) => {
      for (const add of routes) add(api as unknown as App, features)
    },
    { prefix: apiPrefix },
  )
  return app as unknown as App
}
