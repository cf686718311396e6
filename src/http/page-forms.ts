// What pages with forms share: the fields of a form, and the way to a page of the payment provider.

import type { FastifyRequest } from 'fastify'
import { escapeHtml, type Page } from './html-page.ts'

/** The fields of the form that was sent. */
export const formOf = (request: FastifyRequest): Readonly<Record<string, string | undefined>> =>
  (request.body ?? {}) as Readonly<Record<string, string | undefined>>

/** Leads to another host. A redirect would not do: browsers check where a form leads, and a policy cannot name hosts that are not known. */
export const leavingPage = (url: string): Page => ({
  title: 'One moment',
  body: `<p>You are taken to <a href="${escapeHtml(url)}">${escapeHtml(new URL(url).host)}</a>.</p>`,
  next: { seconds: 0, url },
})
