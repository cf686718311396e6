// The page at /signin: the ways to sign in, and the button of a one-time link. The code of such a link is behind the `#` of the
// address: it is not sent when the page is loaded, by a person or by a preview, but by the button.

import type { FastifyInstance } from 'fastify'
import type { Account } from '../accounts/caller.ts'
import { defaultReturnTo } from '../accounts/sign-in/return-to.ts'
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
document.getElementById('go').addEventListener('click', () => post('/auth/local', { code }, '${defaultReturnTo}'))
if (leave) leave.addEventListener('click', () => post('/auth/logout', {}, '${signInPath}'))
`

const wayTo = (name: 'github' | 'google', title: string) => `<a class="way" href="${basePath}/auth/${name}">Sign in with ${title}</a>`

const signedInAs = (name: string) => `<p>You are signed in as <strong>${escapeHtml(name)}</strong>.
<a href="${defaultReturnTo}">Go to the reference</a>, where you can try the API as yourself.</p><p><button id="leave">Sign out</button></p>`

const waysIn = ({
  github,
  google,
}: SignIn['ways']) => `<p>${github ? wayTo('github', 'GitHub') : ''}${google ? wayTo('google', 'Google') : ''}</p>
<p id="none" hidden class="hint">The operator of this installation signs in with a one-time link: <code>./lab signin</code> prints one.</p>`

const bodyOf = (ways: SignIn['ways'], name: string | undefined): string => `
${name === undefined ? waysIn(ways) : signedInAs(name)}
<p id="link" hidden><button id="go">Sign in as the operator</button></p>
<p id="problem" role="alert"></p>
<noscript><p class="hint">A one-time link needs JavaScript.</p></noscript>`

export interface SignInPageDeps {
  readonly ways: SignIn['ways']
  readonly nameOf: (caller: Account) => Promise<string>
}

export const serveSignInPage = (app: FastifyInstance, { ways, nameOf }: SignInPageDeps): void => {
  app.get(signInPath, { config: { public: true }, schema: { hide: true } as never }, async ({ caller }, reply) => {
    const name = caller === null ? undefined : await nameOf(caller)
    return sendPage(reply, 200, { title: 'Sign in to Incident Lab', body: bodyOf(ways, name), script })
  })
}
