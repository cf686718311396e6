// Authenticates requests: by a bearer token, else by the cookie of a browser session. An invalid token is refused everywhere, even on
// public routes; a session that has ended is as none, and its cookie is cleared. How often somebody may ask is counted elsewhere
// (rate-counting.ts).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { BrowserSessionGate } from '../accounts/browser-session-gate.ts'
import type { Account } from '../accounts/caller.ts'
import type { TokenGate } from '../accounts/token-gate.ts'
import { LabError } from '../errors.ts'
import type { Hosts } from '../hosts.ts'
import { rateHeaders } from '../rate-limit.ts'
import { type Cookies, sessionCookie } from './cookies.ts'
import { isForeignRequest, isOwnRequest } from './own-request.ts'
import { isTerminal } from './upgrades.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for mounts, which do authentication and rate limiting themselves. */
    mounted?: boolean
  }
  interface FastifyRequest {
    caller: Account | null
    /** The browser session that the request was made in; null with a token. */
    browserSessionId: string | null
    /** Why the cookie was not accepted. */
    sessionError: LabError | null
  }
  interface FastifyInstance {
    /** Whom the credential of a request belongs to by now; for what lasts longer than a request. */
    callerNow: (request: FastifyRequest) => Promise<Account | null>
  }
}

export interface AuthenticationDeps {
  readonly tokens: TokenGate
  readonly sessions: BrowserSessionGate
  readonly cookies: Cookies
  readonly hosts: Hosts
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

const crossSite = () =>
  new LabError('cross_site_request', 'a browser session may do this only from a page of this service', {
    hint: 'other programs send Authorization: Bearer <personal access token>',
  })

/** Sets request.caller and request.browserSessionId. */
export const authenticateRequests = (app: FastifyInstance, { tokens, sessions, cookies, hosts }: AuthenticationDeps): void => {
  const byToken = async (request: FastifyRequest, reply: FastifyReply, header: string): Promise<void> => {
    const identified = await tokens.byHeader(header, request.ip)
    if (identified.account === null) {
      reply.headers(rateHeaders(identified.allowance))
      throw identified.error
    }
    request.caller = identified.account
  }

  const byCookie = async (request: FastifyRequest, reply: FastifyReply, value: string): Promise<void> => {
    if (!isOwnRequest(request.raw, hosts)) {
      if (!safeMethods.has(request.method)) throw crossSite()
      if (isTerminal(request.raw)) return // a terminal writes, and may bring a token
    }
    const checked = await sessions.byCookie(value, request.ip)
    if (checked.found !== null) {
      request.caller = checked.found.account
      request.browserSessionId = checked.found.browserSessionId
      return
    }
    if (checked.error.code === 'rate_limited') {
      reply.headers(rateHeaders(checked.allowance))
      throw checked.error
    }
    cookies.clear(reply, sessionCookie)
    request.sessionError = checked.error
  }

  app.decorate('callerNow', async (request: FastifyRequest): Promise<Account | null> => {
    const { authorization } = request.headers
    if (authorization !== undefined) return (await tokens.byHeader(authorization, request.ip)).account
    const value = cookies.read(request, sessionCookie)
    return value === null ? null : ((await sessions.byCookie(value, request.ip)).found?.account ?? null)
  })
  app.decorateRequest('caller', null)
  app.decorateRequest('browserSessionId', null)
  app.decorateRequest('sessionError', null)
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.mounted === true) return done()
    const { authorization } = request.headers
    if (authorization !== undefined) {
      byToken(request, reply, authorization).then(() => done(), done)
      return
    }
    const value = cookies.read(request, sessionCookie)
    if (value === null) return done()
    byCookie(request, reply, value).then(() => done(), done)
  })
}

const needed = () =>
  new LabError('unauthorized', 'an access token or a signed-in browser session is required', {
    hint: 'sign in, or send Authorization: Bearer <token>; POST /auth/tokens creates one in a signed-in session',
  })

/** Refuses requests without a caller where one is needed. */
export const requireCallers = (app: FastifyInstance): void => {
  app.addHook('onRequest', (request, _reply, done) => {
    const { config } = request.routeOptions
    if (request.caller !== null || config.public === true || config.mounted === true || request.is404) return done()
    done(request.sessionError ?? needed())
  })
}

/** The caller of a route that is not public. */
export const callerOf = (request: FastifyRequest): Account => {
  if (request.caller === null) throw needed()
  return request.caller
}

/** Throws cross_site_request when a page of another site makes a request with the cookie. */
export const requireOwnPage = (request: FastifyRequest): void => {
  if (request.browserSessionId !== null && isForeignRequest(request.raw, request.server.hosts)) throw crossSite()
}

/** The browser session of a caller; throws forbidden for a token, with what it cannot do. */
export const browserSessionOf = (request: FastifyRequest, refusal: string): string => {
  if (request.browserSessionId !== null) return request.browserSessionId
  throw new LabError('forbidden', refusal, { hint: 'sign in with a browser' })
}

/** Throws forbidden unless the caller is an operator. */
export const operatorOf = (request: FastifyRequest): Account => {
  const caller = callerOf(request)
  if (caller.role === 'operator') return caller
  throw new LabError('forbidden', 'this is for operators')
}
