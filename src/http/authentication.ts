// Authenticates requests and applies the rate limit. An invalid credential is refused everywhere, even on public routes.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../accounts/caller.ts'
import type { TokenGate } from '../accounts/token-gate.ts'
import type { RateClass } from '../configured-limits.ts'
import { LabError } from '../errors.ts'
import { type Principal, type RateLimit, rateHeaders, tooManyRequests } from '../rate-limit.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for mounts, which do authentication and rate limiting themselves. */
    mounted?: boolean
  }
  interface FastifyRequest {
    caller: Account | null
  }
}

/** Counts one request; throws rate_limited when the limit is reached. */
export const count = (limit: RateLimit | null, reply: FastifyReply, who: Principal, rateClass: RateClass): void => {
  if (limit === null) return
  const allowance = limit.take(who, rateClass)
  reply.headers(rateHeaders(allowance))
  if (!allowance.allowed) throw tooManyRequests(rateClass, allowance)
}

/** Sets request.caller, and counts the request. `limit` is null where rate limits are off. */
export const authenticateRequests = (app: FastifyInstance, tokens: TokenGate, limit: RateLimit | null): void => {
  const identify = async (request: FastifyRequest, reply: FastifyReply, header: string): Promise<void> => {
    const identified = await tokens.byHeader(header, request.ip)
    if (identified.account === null) {
      reply.headers(rateHeaders(identified.allowance))
      throw identified.error
    }
    request.caller = identified.account
    count(limit, reply, request.caller, request.routeOptions.config.rate ?? 'read')
  }

  app.decorateRequest('caller', null)
  app.addHook('onRequest', (request, reply, done) => {
    const { config } = request.routeOptions
    if (config.mounted === true) return done()
    const header = request.headers.authorization
    if (header !== undefined) {
      identify(request, reply, header).then(() => done(), done)
      return
    }
    try {
      count(limit, reply, { kind: 'anonymous', address: request.ip }, config.rate ?? 'read')
      if (config.public === true || request.is404) return done()
    } catch (error) {
      return done(error as Error)
    }
    done(
      new LabError('unauthorized', 'an access token is required', {
        hint: 'send Authorization: Bearer <token>; create one with ./lab token create',
      }),
    )
  })
}

/** The caller of a route that is not public. */
export const callerOf = (request: FastifyRequest): Account => {
  if (request.caller === null) throw new LabError('unauthorized', 'an access token is required')
  return request.caller
}
