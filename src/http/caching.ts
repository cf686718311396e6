// Keeps out of caches what is for one browser only: answers to a signed-in caller, to a token of a lab or to a visitor's cookie, and answers that set or clear a cookie. A cache
// between us and everybody would give them to others, and a cleared cookie would sign everybody out.

import type { FastifyInstance, onSendHookHandler } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True where the answer depends on a cookie that is no browser session. */
    personal?: boolean
  }
}

const keepOut: onSendHookHandler = (request, reply, payload, done) => {
  const isPersonal = request.caller !== null || request.labHolder !== null || request.routeOptions.config.personal === true
  if (reply.hasHeader('set-cookie') || (isPersonal && !reply.hasHeader('cache-control'))) {
    reply.header('cache-control', 'no-store')
  }
  done(null, payload)
}

/** Comes before all routes: it is the last to look at their answers, also where a route has a Cache-Control of its own. */
export const keepOutOfCaches = (app: FastifyInstance): void => {
  app.addHook('onSend', keepOut) // what is no route
  app.addHook('onRoute', (route) => {
    route.onSend = [route.onSend ?? []].flat().concat(keepOut)
  })
}
