// What is no route: 404 for a path that is not there, 405 with Allow for a method that the path does not have, 204 for OPTIONS. All
// without reading the body.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LabError } from '../errors.ts'
import { preflightHeaders } from './cors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for a route that only refuses a method. */
    refuses?: boolean
    /** The methods that a route answers with more than a refusal, where it takes others, too. */
    serves?: readonly string[]
  }
}

interface KnownRoute {
  readonly url: string
  readonly pattern: RegExp
  readonly methods: readonly string[]
}

const isFixed = ({ url }: KnownRoute): boolean => !url.includes(':')
const patternOf = (url: string) => new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}/?$`)
const longestShownPath = 200

/** The path of a request target, which may be a whole URL. */
export const pathIn = (target: string): string => (target.split(/[?#]/, 1)[0] as string).replace(/^https?:\/\/[^/]*/i, '')

/** Remembers every route that is added from here on. */
export const rememberMethods = (app: FastifyInstance) => {
  const routes: KnownRoute[] = []
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.refuses !== true) routes.push({ url, pattern: patternOf(url), methods: config?.serves ?? [method].flat() })
  })

  /** The methods of a path, in a fixed order. A path that is a route by itself is no value of a parameter. */
  const methodsOf = (path: string): string[] => {
    const matching = routes.filter(({ pattern }) => pattern.test(path))
    const meant = matching.some(isFixed) ? matching.filter(isFixed) : matching
    const methods = new Set(meant.flatMap((route) => route.methods))
    return methods.size === 0 ? [] : [...methods.add('OPTIONS')].sort()
  }

  /** Why a request to what is no route is refused, and the methods that its path has. */
  const refusalOf = (method: string, target: string): { readonly error: LabError; readonly methods: readonly string[] } => {
    const path = pathIn(target)
    const methods = path.includes('//') ? [] : methodsOf(path)
    if (methods.length === 0) {
      const message = `there is no route ${method} ${path.slice(0, longestShownPath)}`
      return { error: new LabError('not_found', message, { hint: 'GET /docs shows all routes' }), methods }
    }
    const useful = methods.filter((name) => name !== 'OPTIONS')
    return {
      error: new LabError('method_not_allowed', `method ${method} is not allowed here`, { hint: `use ${useful.join(', ')}` }),
      methods,
    }
  }

  const refuse = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const { error, methods } = refusalOf(request.method, request.raw.url ?? '')
    if (methods.length > 0) reply.header('allow', methods.join(', '))
    if (methods.length > 0 && request.method === 'OPTIONS') reply.code(204).headers(preflightHeaders(methods)).send()
    else done(error)
  }

  return {
    refusalOf,

    /** Comes after authentication, which counts the request. The router ignores one slash at the end; no part of a path is empty. */
    refuseUnknownRoutes: (): void => {
      app.addHook('onRequest', (request, reply, done) => {
        if (request.is404 || pathIn(request.raw.url ?? '').includes('//')) refuse(request, reply, done)
        else done()
      })
    },

    /** Comes after all routes. Else the router would take `GET /sandbox/start` for a sandbox of that name. */
    refuseShadowedMethods: (): void => {
      for (const url of new Set(routes.filter(isFixed).map((route) => route.url))) {
        const others = routes.filter((route) => !isFixed(route) && route.pattern.test(url)).flatMap(({ methods }) => methods)
        const method = [...new Set(others)].filter((name) => !methodsOf(url).includes(name))
        if (method.length === 0) continue
        const config = { public: true, refuses: true }
        app.route({
          ...{ url, method, config, exposeHeadRoute: false, schema: { hide: true } as never },
          onRequest: refuse,
          handler: async () => undefined,
        })
      }
    },
  }
}
