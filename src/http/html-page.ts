// Small HTML pages, for people whose browser was sent here. They load nothing, and run no script but one that is named by its hash.

import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const style = `:root{color-scheme:light dark;--text:#1d2733;--back:#fff;--hint:#56606b;--line:#d5dbe2;--card:#f7f9fb;--link:#1f4e8c;--note:#fff6dd}
@media(prefers-color-scheme:dark){:root{--text:#e6e9ed;--back:#14181d;--hint:#9aa5b1;--line:#333c46;--card:#1b2128;--link:#8ab4f0;--note:#3a3119}}
*{box-sizing:border-box}body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1.5rem;color:var(--text);background:var(--back)}
body.wide{max-width:60rem;margin:6vh auto}h1{font-size:1.4rem}h2{font-size:1.1rem;margin:2rem 0 .6rem}h3{font-size:1rem;margin:0}a{color:var(--link)}
a,button{font:inherit}a.way,button{display:inline-block;margin:.3rem .6rem .3rem 0;padding:.5rem 1rem;border:1px solid #1f4e8c;
border-radius:.4rem;background:#1f4e8c;color:#fff;text-decoration:none;cursor:pointer}button.plain{background:none;color:var(--link);border-color:var(--line)}
:focus-visible{outline:3px solid #6ea8fe;outline-offset:2px}form{display:inline}.hint{color:var(--hint)}.note{padding:.7rem 1rem;border-radius:.4rem;background:var(--note)}
.offers{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:1rem;padding:0;margin:0;list-style:none}
.offer{display:flex;flex-direction:column;padding:1rem 1.2rem;border:1px solid var(--line);border-radius:.6rem;background:var(--card)}
.offer ul{padding-left:1.1rem;list-style:disc;margin:.4rem 0}.offer form{margin-top:auto}.price{font-size:1.6rem;margin:.2rem 0}.price small{font-size:.9rem;color:var(--hint)}
dl{display:grid;grid-template-columns:auto 1fr;gap:.3rem 1rem;margin:1rem 0}dt{color:var(--hint)}dd{margin:0;overflow-wrap:anywhere}`

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export interface Page {
  readonly title: string
  /** HTML. */
  readonly body: string
  readonly script?: string
  /** Room for several columns. */
  readonly wide?: boolean
  /** Whether it has forms, which are sent to this service. */
  readonly hasForms?: boolean
  /** Another page, or the same once more, after some seconds. */
  readonly next?: { readonly seconds: number; readonly url: string }
}

const headOf = ({ title, next }: Page): string => {
  const refresh = next === undefined ? '' : `<meta http-equiv="refresh" content="${next.seconds};url=${escapeHtml(next.url)}">`
  return `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${refresh}<title>${escapeHtml(title)}</title><style>${style}</style>`
}

export const sendPage = (reply: FastifyReply, status: number, page: Page): FastifyReply => {
  const { title, body, script, wide = false, hasForms = false } = page
  const scripts = script === undefined ? '' : `; script-src ${hashOf(script)}; connect-src 'self'`
  const forms = hasForms ? "'self'" : "'none'"
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src ${hashOf(style)}${scripts}; base-uri 'none'; form-action ${forms}; frame-ancestors 'none'`,
      // Without a referrer a browser does not tell the origin of a form, and the form would be refused.
      'referrer-policy': hasForms ? 'same-origin' : 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    .send(
      `<!doctype html><html lang="en">${headOf(page)}<body${wide ? ' class="wide"' : ''}><main><h1>${escapeHtml(title)}</h1>${body}</main>${script === undefined ? '' : `<script>${script}</script>`}</body></html>`,
    )
}

/** Whether a browser shows the answer to a person. */
export const wantsPage = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') === true
