// Small HTML pages, for people whose browser was sent here. They load nothing, and run no script but one that is named by its hash.

import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1.5rem;color:#1d2733;background:#fff}
h1{font-size:1.4rem}a,button{font:inherit}a.way,button{display:inline-block;margin:.3rem .6rem .3rem 0;padding:.5rem 1rem;border:1px solid #1f4e8c;
border-radius:.4rem;background:#1f4e8c;color:#fff;text-decoration:none;cursor:pointer}.hint{color:#56606b}
@media(prefers-color-scheme:dark){body{color:#e6e9ed;background:#14181d}.hint{color:#9aa5b1}a{color:#8ab4f0}a.way{color:#fff}}`

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export interface Page {
  readonly title: string
  /** HTML. */
  readonly body: string
  readonly script?: string
}

export const sendPage = (reply: FastifyReply, status: number, { title, body, script }: Page): FastifyReply => {
  const scripts = script === undefined ? '' : `; script-src ${hashOf(script)}; connect-src 'self'`
  const policy = `default-src 'none'; style-src ${hashOf(style)}${scripts}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${style}</style><main><h1>${escapeHtml(title)}</h1>${body}</main>${script === undefined ? '' : `<script>${script}</script>`}</html>`,
    )
}

/** Whether a browser shows the answer to a person. */
export const wantsPage = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') === true
