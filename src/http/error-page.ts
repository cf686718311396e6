// Errors of pages: people see a page where programs get the envelope. Whoever has to sign in is sent there, and comes back.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { pagePaths } from '../contract/page-paths.ts'
import { type ErrorCode, statusOf } from '../errors.ts'
import { sendError, toLabError } from './error-responses.ts'
import { escapeHtml, sendPage, wantsPage } from './html-page.ts'
import { pathIn } from './methods.ts'

export interface ErrorPageOptions {
  readonly titleOf: (code: ErrorCode) => string
  /** Where to go on from here. */
  readonly way: { readonly url: string; readonly text: string }
  /** Whether somebody who is not signed in is sent to the sign-in, and to which page from there; `true` for the same one. */
  readonly signsIn?: boolean | string
}

/** The address of the sign-in that leads back to a path of ours. */
const signInThen = (path: string): string => `${pagePaths.signIn}?return_to=${encodeURIComponent(path)}`

/** The `errorHandler` of a route. */
export const errorPage =
  ({ titleOf, way, signsIn = false }: ErrorPageOptions) =>
  (error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const known = toLabError(error)
    if (statusOf[known.code] === 500) request.log.error({ request_id: request.id, err: error, cause: known.cause }, 'a page failed')
    if (!wantsPage(request)) return sendError(reply, known, request.server.hosts)
    if (signsIn !== false && known.code === 'unauthorized') {
      return reply.redirect(signInThen(signsIn === true ? pathIn(request.raw.url ?? '') : signsIn), 303)
    }
    if (known.retryAfterSeconds !== undefined) reply.header('retry-after', known.retryAfterSeconds)
    const hint = known.hint === undefined ? '' : `<p class="hint">${escapeHtml(known.hint)}</p>`
    const body = `<p>${escapeHtml(known.message)}.</p>${hint}<p><a href="${escapeHtml(way.url)}">${escapeHtml(way.text)}</a></p>`
    return sendPage(reply, statusOf[known.code], { title: titleOf(known.code), body })
  }
