// Authenticates requests: by a bearer token, else by the cookie of a browser session. An invalid token is refused everywhere, even on
// public routes; a session that has ended is as none, and its cookie is cleared. How often somebody may ask is counted elsewhere
// (rate-counting.ts).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { BrowserSessionGate } from '../accounts/browser-session-gate.ts'
import type { Account, LabHolder } from '../accounts/caller.ts'
import { bearerIn } from '../accounts/token-format.ts'
import type { TokenGate } from '../accounts/token-gate.ts'
import { LabError } from '../errors.ts'
import type { Hosts } from '../hosts.ts'
import { rateHeaders } from '../rate-limit.ts'
import { isLabToken, type LabEntry } from '../sandboxes/entry/lab-entry.ts'
import { type Cookies, sessionCookie } from './cookies.ts'
import { isFromAnotherPage, isFromOwnPage } from './same-origin.ts'
import { isTerminal } from './upgrades.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for mounts, which do authentication and rate limiting themselves. */
    mounted?: boolean
  }
  interface FastifyRequest {
    caller: Account | null
    /** Whoever has the token of one lab, and is nobody otherwise. */
    labHolder: LabHolder | null
    /** The browser session that the request was made in; null with a token. */
    browserSessionId: string | null
    /** Why the cookie was not accepted. */
    sessionError: LabError | null
  }
  interface FastifyInstance {
    /** Whether the credential of a request is still that of the same account; for what lasts longer than a request. */
    isStillAllowed: (request: FastifyRequest) => Promise<boolean>
  }
}

export interface AuthenticationDeps {
  readonly tokens: TokenGate
  readonly sessions: BrowserSessionGate
  readonly labEntry: Pick<LabEntry, 'byToken'>
  readonly cookies: Cookies
  readonly hosts: Hosts
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

const crossSite = () =>
  new LabError('cross_site_request', 'a browser session may do this only from a page of this service', {
    hint: 'other programs send Authorization: Bearer <personal access token>',
  })

/** Sets request.caller and request.browserSessionId. */
export const authenticateRequests = (app: FastifyInstance, { tokens, sessions, labEntry, cookies, hosts }: AuthenticationDeps): void => {
  const byLabToken = async (request: FastifyRequest, reply: FastifyReply, token: string): Promise<void> => {
    const checked = await labEntry.byToken(token, request.ip)
    if (checked.found === null) {
      reply.headers(rateHeaders(checked.allowance))
      throw checked.error
    }
    request.labHolder = checked.found
  }

  const byToken = async (request: FastifyRequest, reply: FastifyReply, header: string): Promise<void> => {
    const token = bearerIn(header)
    if (token !== null && isLabToken(token)) return byLabToken(request, reply, token)
    const identified = await tokens.byHeader(header, request.ip)
    if (identified.account === null) {
      reply.headers(rateHeaders(identified.allowance))
      throw identified.error
    }
    request.caller = identified.account
  }

  const byCookie = async (request: FastifyRequest, reply: FastifyReply, value: string): Promise<void> => {
    if (!isFromOwnPage(request.raw, hosts)) {
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

  const callerNow = async (request: FastifyRequest): Promise<Account | null> => {
    const { authorization } = request.headers
    if (authorization !== undefined) return (await tokens.byHeader(authorization, request.ip)).account
    const value = cookies.read(request, sessionCookie)
    return value === null ? null : ((await sessions.byCookie(value, request.ip)).found?.account ?? null)
  }
  app.decorate('isStillAllowed', async (request: FastifyRequest): Promise<boolean> => {
    return request.caller !== null && (await callerNow(request))?.accountId === request.caller.accountId
  })
  app.decorateRequest('caller', null)
  app.decorateRequest('labHolder', null)
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

const beyondLab = () =>
  new LabError('unauthorized', 'the token of a lab opens its lab only', { hint: 'sign in, or use a personal access token' })

/** Refuses requests without a caller where one is needed. */
export const requireCallers = (app: FastifyInstance): void => {
  app.addHook('onRequest', (request, _reply, done) => {
    const { config } = request.routeOptions
    if (request.caller !== null || config.public === true || config.mounted === true || request.is404) return done()
    if (request.labHolder !== null) return done(config.lab === true ? undefined : beyondLab())
    done(request.sessionError ?? needed())
  })
}

/** The caller of a route that is not public. */
export const callerOf = (request: FastifyRequest): Account => {
  if (request.caller === null) throw needed()
  return request.caller
}

/** The caller of a route that the token of a lab opens, too. */
export const labCallerOf = (request: FastifyRequest): Account | LabHolder => request.labHolder ?? callerOf(request)

/** The token of a lab holder. */
export const labTokenOf = ({ headers }: FastifyRequest): string => bearerIn(headers.authorization ?? '') ?? ''

/** Throws cross_site_request when a page of another site makes a request with the cookie. */
export const requireOwnPage = (request: FastifyRequest): void => {
  if (request.browserSessionId !== null && isFromAnotherPage(request.raw, request.server.hosts)) throw crossSite()
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
