// The signed-in account and its browser sessions.

import {
  AccountDeleted,
  BrowserSessionEndRequest,
  BrowserSessionList,
  EndedBrowserSession,
  EndedBrowserSessionList,
  Me,
} from '../../contract/account.ts'
import type { Routes } from '../app.ts'
import { browserSessionOf, callerOf } from '../authentication.ts'
import { sessionCookie } from '../cookies.ts'
import { operation } from '../operation.ts'

export const routes: Routes = (app, { browserSessions, ownAccount }) => {
  const about = { tag: 'Account', access: 'account', rate: 'auth' } as const

  const read = operation(
    { ...about, id: 'readMe', summary: 'Read your account', description: 'Whoever is signed in, or owns the token.', rate: 'read' },
    { response: { 200: Me } },
  )
  app.get('/auth/me', read, (request) => ownAccount.read(callerOf(request)))

  const remove = operation(
    {
      ...about,
      id: 'deleteMe',
      summary: 'Delete your account',
      description:
        'Ends your sandboxes, browser sessions and tokens, and deletes your identities, evaluations and recordings. It cannot be undone. Needs ' +
        'a signed-in browser session: a request with a token is refused with 403.',
      errors: ['forbidden'],
      recover: 'again',
    },
    { response: { 200: AccountDeleted } },
  )
  app.delete('/auth/me', remove, async (request, reply) => {
    browserSessionOf(request, 'a personal access token cannot delete the account')
    const deleted = await ownAccount.remove(callerOf(request))
    app.cookies.clear(reply, sessionCookie)
    return deleted
  })

  const logout = operation(
    {
      ...about,
      id: 'logOut',
      summary: 'End the browser session',
      description: 'The one of this request, and no other. Personal access tokens stay valid.',
      errors: ['forbidden', 'not_found'],
      recover: 'again',
    },
    { response: { 200: EndedBrowserSession } },
  )
  app.post('/auth/logout', logout, async (request, reply) => {
    const current = browserSessionOf(request, 'a personal access token has no browser session; DELETE /auth/tokens revokes it')
    const ended = await browserSessions.end(callerOf(request), current)
    app.cookies.clear(reply, sessionCookie)
    return ended
  })

  const list = operation(
    { ...about, id: 'listBrowserSessions', summary: 'List your browser sessions', description: 'All that have not ended.' },
    { response: { 200: BrowserSessionList } },
  )
  app.get('/auth/sessions', list, async (request) => ({
    items: await browserSessions.list(callerOf(request), request.browserSessionId),
  }))

  const end = operation(
    {
      ...about,
      id: 'endBrowserSessions',
      summary: 'End browser sessions',
      description: 'One of yours, or all others. They end at once, on every server.',
      errors: ['not_found'],
      recover: 'again',
    },
    { body: BrowserSessionEndRequest, response: { 200: EndedBrowserSessionList } },
  )
  app.delete('/auth/sessions', end, async (request, reply) => {
    const { browser_session_id: id } = request.body
    const caller = callerOf(request)
    if (id === undefined) return { items: await browserSessions.endOthers(caller, request.browserSessionId) }
    const ended = await browserSessions.end(caller, id)
    if (id === request.browserSessionId) app.cookies.clear(reply, sessionCookie)
    return { items: [ended] }
  })
}
