// The page at /signin: the ways to sign in, and the button of a one-time link. The code of such a link is behind the `#` of the
// address: it is not sent when the page is loaded, by a person or by a preview, but by the button.

import type { FastifyInstance } from 'fastify'
import type { Account } from '../accounts/caller.ts'
import { checkReturnTo, defaultReturnTo } from '../accounts/sign-in/return-to.ts'
import type { SignIn } from '../accounts/sign-in/sign-in.ts'
import { basePath } from '../contract/api-version.ts'
import { escapeHtml, sendPage } from './html-page.ts'

export const signInPath = '/signin'

const script = `
const [link, none, leave, problem] = ['link', 'none', 'leave', 'problem'].map((id) => document.getElementById(id))
let code = ''
const takeCode = () => {
  code = location.hash.slice(1) || code
  history.replaceState(null, '', location.pathname)
  problem.textContent = ''
  link.hidden = code === ''
  if (none) none.hidden = code !== ''
}
const post = async (path, body, destination) => {
  try {
    const answer = await fetch('${basePath}' + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (answer.ok) return location.replace(destination)
    const { error } = await answer.json()
    problem.textContent = error.message + (error.resolution_hint ? ' (' + error.resolution_hint + ')' : '')
  } catch {
    problem.textContent = 'the server does not answer'
  }
}
takeCode()
addEventListener('hashchange', takeCode) // another link, opened in the same tab
document.getElementById('go').addEventListener('click', () => post('/auth/local', { code }, link.dataset.next))
if (leave) leave.addEventListener('click', () => post('/auth/logout', {}, '${signInPath}'))
`

const wayTo = (name: 'github' | 'google', title: string, next: string) => {
  const query = next === defaultReturnTo ? '' : `?return_to=${encodeURIComponent(next)}`
  return `<a class="way" href="${basePath}/auth/${name}${query}">Sign in with ${title}</a>`
}

const signedInAs = (name: string, next: string) => `<p>You are signed in as <strong>${escapeHtml(name)}</strong>.
${
  next === defaultReturnTo
    ? `<a href="${defaultReturnTo}">Go to the incidents</a>, or to <a href="/docs">the reference</a>, where you can try the API as yourself.`
    : `<a href="${escapeHtml(next)}">Go on</a>.`
}</p><p><button id="leave">Sign out</button></p>`

const waysIn = (
  { github, google }: SignIn['ways'],
  next: string,
) => `<p>${github ? wayTo('github', 'GitHub', next) : ''}${google ? wayTo('google', 'Google', next) : ''}</p>
<p id="none" hidden class="hint">The operator of this installation signs in with a one-time link: <code>./lab signin</code> prints one.</p>`

const bodyOf = (ways: SignIn['ways'], name: string | undefined, next: string): string => `
${name === undefined ? waysIn(ways, next) : signedInAs(name, next)}
<p id="link" hidden data-next="${escapeHtml(next)}"><button id="go">Sign in as the operator</button></p>
<p id="problem" role="alert"></p>
<noscript><p class="hint">A one-time link needs JavaScript.</p></noscript>`

export interface SignInPageDeps {
  readonly ways: SignIn['ways']
  readonly nameOf: (caller: Account) => Promise<string>
}

/** Where a sign-in leads: what a page of ours asked for, or the usual place. */
const nextIn = (query: unknown): string => {
  const { return_to: asked } = query as { readonly return_to?: unknown }
  try {
    return checkReturnTo(typeof asked === 'string' ? asked : undefined)
  } catch {
    return defaultReturnTo
  }
}

export const serveSignInPage = (app: FastifyInstance, { ways, nameOf }: SignInPageDeps): void => {
  app.get(signInPath, { config: { public: true }, schema: { hide: true } as never }, async ({ caller, query }, reply) => {
    const name = caller === null ? undefined : await nameOf(caller)
    return sendPage(reply, 200, { title: 'Sign in to Incident Lab', body: bodyOf(ways, name, nextIn(query)), script })
  })
}
