// Counts requests against the rate limit of their caller, who is known by now (authentication.ts), and tells every caller how it
// stands.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { RateClass } from '../configured-limits.ts'
import { type Principal, type RateLimit, rateHeaders, tooManyRequests } from '../rate-limit.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for mounts that do not count their requests themselves. */
    countsHere?: boolean
  }
}

/** Counts one request; throws rate_limited when the limit is reached. */
export const count = (limit: RateLimit | null, reply: FastifyReply, who: Principal, rateClass: RateClass): void => {
  if (limit === null) return
  const allowance = limit.take(who, rateClass)
  reply.headers(rateHeaders(allowance))
  if (!allowance.allowed) throw tooManyRequests(who.kind, rateClass, allowance)
}

/** `limit` is null where rate limits are off. */
export const countRequests = (app: FastifyInstance, limit: RateLimit | null): void => {
  if (limit === null) return
  app.addHook('onRequest', (request, reply, done) => {
    const { mounted, countsHere, rate } = request.routeOptions.config
    if (mounted === true && countsHere !== true) return done()
    try {
      count(limit, reply, request.caller ?? { kind: 'anonymous', address: request.ip }, rate ?? 'read')
    } catch (error) {
      return done(error as Error)
    }
    done()
  })
}
