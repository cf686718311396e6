// Small HTML pages, for people whose browser was sent here. They load nothing, and run no script.

import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** In the look of the web app, whose colours are in `web/src/styles/tokens.css`. */
const style = `:root{color-scheme:light dark;--paper:#f6f8fa;--surface:#fff;--ink:#17202b;--muted:#52606f;--line:#d8dfe6;--edge:#8593a1;--accent:#1b57c9;--on:#fff;--note:#fdf3dc;--warn:#855600}
@media(prefers-color-scheme:dark){:root{--paper:#0f1419;--surface:#161d25;--ink:#e3e9ef;--muted:#9eabb9;--line:#2a3540;--edge:#6d7b89;--accent:#86b3ff;--on:#0b1627;--note:#2d2413;--warn:#f2bd55}}
*{box-sizing:border-box}body{font:400 15px/1.6 system-ui,sans-serif;max-width:36rem;margin:12vh auto;padding:0 1.5rem;color:var(--ink);background:var(--paper);overflow-wrap:anywhere}
h1{font-size:1.75rem;line-height:1.25;letter-spacing:-.015em;margin:0 0 1rem}a{color:var(--accent);text-underline-offset:.2em}
button{display:inline-block;min-height:40px;margin:.3rem .6rem .3rem 0;padding:0 1rem;border:1px solid var(--accent);border-radius:6px;background:var(--accent);color:var(--on);font:inherit;font-weight:500;cursor:pointer}
button.plain{background:var(--surface);color:var(--ink);border-color:var(--edge)}:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
form{display:inline}.hint{color:var(--muted)}.note{padding:.75rem 1rem;border-radius:6px;background:var(--note);color:var(--warn)}
dl{display:grid;grid-template-columns:auto 1fr;gap:.3rem 1rem;margin:1rem 0}dt{color:var(--muted)}dd{margin:0}`

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export interface Page {
  readonly title: string
  /** HTML. */
  readonly body: string
  /** Whether it has forms, which are sent to this service. */
  readonly hasForms?: boolean
}

const headOf = (title: string): string =>
  `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title><style>${style}</style>`

export const sendPage = (reply: FastifyReply, status: number, { title, body, hasForms = false }: Page): FastifyReply => {
  const forms = hasForms ? "'self'" : "'none'"
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src ${hashOf(style)}; base-uri 'none'; form-action ${forms}; frame-ancestors 'none'`,
      // Without a referrer a browser does not tell the origin of a form, and the form would be refused.
      'referrer-policy': hasForms ? 'same-origin' : 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    .send(`<!doctype html><html lang="en">${headOf(title)}<body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`)
}

/** Whether a browser shows the answer to a person. */
export const wantsPage = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') === true
