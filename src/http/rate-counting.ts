// Counts requests against the rate limit of their caller, who is known by now (authentication.ts), and tells every caller how it
// stands.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RateClass } from '../configured-limits.ts'
import { type Principal, type RateLimit, rateHeaders, tooManyRequests } from '../rate-limit.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for mounts that do not count their requests themselves. */
    countsHere?: boolean
    /** True where only failures count: the route counts them itself, once they have happened. */
    countsFailures?: boolean
  }
}

/** Counts one request; throws rate_limited when the limit is reached. */
export const count = (limit: RateLimit | null, reply: FastifyReply, who: Principal, rateClass: RateClass): void => {
  if (limit === null) return
  const allowance = limit.take(who, rateClass)
  reply.headers(rateHeaders(allowance))
  if (!allowance.allowed) throw tooManyRequests(who.kind, rateClass, allowance)
}

/** For whom a request counts. The token of a lab counts only where it opens something: elsewhere it is as none. */
const principalOf = ({ caller, labHolder, ip, routeOptions }: FastifyRequest): Principal =>
  caller ?? (routeOptions.config.lab === true ? labHolder : null) ?? { kind: 'anonymous', address: ip }

/** Counts requests of a route with `countsFailures` that were the sender's fault. For its `onResponse`. */
export const countFailures =
  (limit: RateLimit | null) =>
  (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { statusCode } = reply
    if (statusCode >= 400 && statusCode < 500 && statusCode !== 429)
      limit?.take(principalOf(request), request.routeOptions.config.rate ?? 'read')
    done()
  }

/** `limit` is null where rate limits are off. */
export const countRequests = (app: FastifyInstance, limit: RateLimit | null): void => {
  if (limit === null) return
  app.addHook('onRequest', (request, reply, done) => {
    const { mounted, countsHere, countsFailures, rate = 'read' } = request.routeOptions.config
    if (mounted === true && countsHere !== true) return done()
    const who = principalOf(request)
    try {
      count(limit, reply, who, rate)
      if (countsFailures === true) limit.giveBack(who, rate)
    } catch (error) {
      return done(error as Error)
    }
    done()
  })
}
