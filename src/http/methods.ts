// Collects the methods of each path, for the Allow header of a 405 and for OPTIONS.

import type { FastifyInstance } from 'fastify'

interface KnownRoute {
  readonly pattern: RegExp
  readonly methods: readonly string[]
}

const patternOf = (url: string) => new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]*')}/?$`)

/** Remembers every route from here on. Returns the methods that a path answers to, in a fixed order. */
export const rememberMethods = (app: FastifyInstance): ((path: string) => string[]) => {
  const routes: KnownRoute[] = []
  app.addHook('onRoute', ({ url, method }) => {
    routes.push({ pattern: patternOf(url), methods: Array.isArray(method) ? method : [method] })
  })
  return (path) => {
    const methods = new Set(routes.filter(({ pattern }) => pattern.test(path)).flatMap((route) => route.methods))
    return methods.size === 0 ? [] : [...methods, 'OPTIONS'].filter((method, index, all) => all.indexOf(method) === index).sort()
  }
}
