// Sign-in: at GitHub or Google, and by a one-time link of the operator. People see pages where programs get JSON.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignedIn } from '../../accounts/browser-sessions.ts'
import { LocalSignInRequest, Me, type ProviderName, providerNames, SignInCallbackQuery, SignInQuery } from '../../contract/account.ts'
import { basePath } from '../../contract/api-version.ts'
import { pagePaths } from '../../contract/page-paths.ts'
import { LabError } from '../../errors.ts'
import type { App, Routes } from '../app.ts'
import { sessionCookie } from '../cookies.ts'
import { errorPage } from '../error-page.ts'
import { operation, redirect } from '../operation.ts'
import { isFromAnotherPage, isFromOwnPage } from '../same-origin.ts'

const attemptCookie = 'lab_signin_'
/** Attempts that may be under way in a browser; the oldest make room, so that cookies do not fill the headers. */
const mostAttempts = 5

const signedInOf = ({ caller, browserSessionId }: FastifyRequest): SignedIn | null =>
  caller === null || browserSessionId === null ? null : { account: caller, browserSessionId }

const showError = errorPage({
  titleOf: (code) => (code === 'not_found' ? 'There is no such sign-in here' : 'You are not signed in'),
  way: { url: pagePaths.signIn, text: 'Ways to sign in' },
})

/** Where the browser stays on one name: the cookie of an attempt is not sent to another name of the same machine. */
const canonicalUrl = (request: FastifyRequest): string | null => {
  const root = new URL(request.server.hosts.rootUrlFor(request.headers.host))
  const asked = request.headers.host ?? ''
  const isOtherName = root.hostname === 'localhost' && /^(?:127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(asked)
  return isOtherName ? `${root.origin}${request.raw.url}` : null
}

export const routes: Routes = (app: App, { signIn, browserSessions, ownAccount, limits }) => {
  const about = { tag: 'Account', access: 'public', rate: 'auth' } as const

  /** A sign-in ends the session that the browser had, and opens another. */
  const openSession = async (request: FastifyRequest, reply: FastifyReply, accountId: string): Promise<void> => {
    const before = signedInOf(request)
    const opened = await browserSessions.open(accountId, request.headers['user-agent'])
    app.cookies.set(reply, sessionCookie, opened.value, opened.maxAgeSeconds)
    if (before !== null) await browserSessions.end(before.account, before.browserSessionId).catch(() => undefined)
  }

  const callbackUrl = (name: ProviderName, request: FastifyRequest): URL =>
    new URL(`${app.hosts.rootUrlFor(request.headers.host)}${basePath}/auth/${name}/callback`)

  const addProvider = (name: ProviderName, title: string): void => {
    const begin = operation(
      {
        ...about,
        id: `signInWith${title}`,
        summary: `Sign in with ${title}`,
        description: `For browsers. Leads to ${title}, back to the callback, and then to \`return_to\`. 404 where it is not set up.`,
        errors: ['not_found', 'forbidden', 'provider_unavailable'],
      },
      { querystring: SignInQuery, response: { 302: redirect } },
    )
    app.get(`/auth/${name}`, { ...begin, errorHandler: showError }, async (request, reply) => {
      const elsewhere = canonicalUrl(request)
      if (elsewhere !== null) return reply.redirect(elsewhere, 302)
      const isLink = request.query.link !== undefined
      const link = isLink ? signedInOf(request) : null
      if (isLink && link === null) throw new LabError('unauthorized', 'to add a provider, sign in first')
      // Whoever is linked gets into the account: it is a write, though a browser does it by going to an address.
      if (isLink && !isFromOwnPage(request.raw, app.hosts))
        throw new LabError('forbidden', 'another page may not add a provider to your account')
      const { location, begun } = await signIn.begin(name, {
        redirectUri: callbackUrl(name, request).href,
        returnTo: request.query.return_to,
        link,
      })
      const pending = app.cookies.names(request, attemptCookie)
      for (const old of pending.slice(0, Math.max(0, pending.length - mostAttempts + 1))) app.cookies.clear(reply, old)
      app.cookies.set(reply, attemptCookie + begun.id, begun.sealed, limits.signInMinutes * 60)
      return reply.header('cache-control', 'no-store').redirect(location.href, 302)
    })

    const finish = operation(
      {
        ...about,
        id: `finishSignInWith${title}`,
        summary: `Come back from ${title}`,
        description: `Where ${title} sends the browser. A sign-in can be finished once, in the browser that began it.`,
        errors: ['not_found', 'sign_in_failed', 'identity_in_use', 'provider_unavailable'],
      },
      { querystring: SignInCallbackQuery, response: { 302: redirect } },
    )
    app.get(`/auth/${name}/callback`, { ...finish, errorHandler: showError }, async (request, reply) => {
      const url = callbackUrl(name, request)
      url.search = new URL(request.raw.url ?? '', url).search
      const { accountId, returnTo, isLinked } = await signIn.finish(name, {
        url,
        state: request.query.state,
        cookie: (id) => {
          app.cookies.clear(reply, attemptCookie + id)
          return app.cookies.read(request, attemptCookie + id)
        },
        current: signedInOf(request),
      })
      if (!isLinked) await openSession(request, reply, accountId)
      return reply.header('cache-control', 'no-store').redirect(returnTo, 302)
    })
  }
  const titles = { github: 'GitHub', google: 'Google' } as const
  for (const name of providerNames) addProvider(name, titles[name])

  const local = operation(
    {
      ...about,
      id: 'signInLocally',
      summary: 'Sign in with a one-time link',
      description:
        'For the operator: the code of a link that `./lab up` or `./lab signin` has printed. Sets the cookie of a browser session.',
      errors: ['sign_in_failed', 'cross_site_request', 'payload_too_large', 'unsupported_media_type'],
    },
    { body: LocalSignInRequest, response: { 200: Me } },
  )
  app.post('/auth/local', local, async (request, reply) => {
    if (isFromAnotherPage(request.raw, app.hosts)) throw new LabError('cross_site_request', 'another page may not sign you in')
    const accountId = await signIn.redeem(request.body.code)
    await openSession(request, reply, accountId)
    return ownAccount.read({ kind: 'account', accountId, role: 'operator' })
  })
}
