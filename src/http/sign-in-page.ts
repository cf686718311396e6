// The page at /signin: the ways to sign in, and the button of a one-time link. The code of such a link is behind the `#` of the
// address: it is not sent when the page is loaded, by a person or by a preview, but by the button.

import type { FastifyInstance } from 'fastify'
import { defaultReturnTo } from '../accounts/sign-in/return-to.ts'
import type { SignIn } from '../accounts/sign-in/sign-in.ts'
import { basePath } from '../contract/api-version.ts'
import { sendPage } from './html-page.ts'

export const signInPath = '/signin'

const script = `
const code = location.hash.slice(1)
const [link, none, problem] = ['link', 'none', 'problem'].map((id) => document.getElementById(id))
history.replaceState(null, '', location.pathname)
if (code === '') none.hidden = false
else link.hidden = false
document.getElementById('go').addEventListener('click', async () => {
  try {
    const answer = await fetch('${basePath}/auth/local', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    })
    if (answer.ok) return location.replace('${defaultReturnTo}')
    const { error } = await answer.json()
    problem.textContent = error.message + (error.resolution_hint ? ' (' + error.resolution_hint + ')' : '')
  } catch {
    problem.textContent = 'the server does not answer'
  }
})
`

const wayTo = (name: 'github' | 'google', title: string) => `<a class="way" href="${basePath}/auth/${name}">Sign in with ${title}</a>`

const bodyOf = ({ github, google }: SignIn['ways']): string => `
<p>${github ? wayTo('github', 'GitHub') : ''}${google ? wayTo('google', 'Google') : ''}</p>
<p id="link" hidden><button id="go">Sign in as the operator</button></p>
<p id="none" hidden class="hint">The operator of this installation signs in with a one-time link: <code>./lab signin</code> prints one.</p>
<p id="problem" role="alert"></p>
<noscript><p class="hint">A one-time link needs JavaScript.</p></noscript>`

export const serveSignInPage = (app: FastifyInstance, ways: SignIn['ways']): void => {
  const page = { title: 'Sign in to Incident Lab', body: bodyOf(ways), script }
  app.get(signInPath, { config: { public: true }, schema: { hide: true } as never }, (_request, reply) => sendPage(reply, 200, page))
}
