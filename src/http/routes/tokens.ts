// Personal access tokens.

import { TokenCreated, TokenCreateRequest, TokenList, TokenRevoked, TokenRevokeRequest } from '../../contract/token.ts'
import { LabError } from '../../errors.ts'
import type { Routes } from '../app.ts'
import { callerOf } from '../authentication.ts'
import { operation } from '../operation.ts'

export const routes: Routes = (app, { accounts }) => {
  const about = { tag: 'Account', access: 'account', rate: 'auth' } as const

  const create = operation(
    {
      ...about,
      id: 'createToken',
      summary: 'Create a personal access token',
      description:
        'Needs a signed-in browser session: a token cannot create tokens, so a request with one is always refused with 403. The operator ' +
        'creates tokens with `./lab token create`.',
      errors: ['forbidden'],
      recover: 'unknown',
    },
    { body: TokenCreateRequest, response: { 201: TokenCreated } },
  )
  app.post('/auth/tokens', create, async () => {
    throw new LabError('forbidden', 'a personal access token cannot create another one', {
      hint: 'create it in a signed-in session, or with ./lab token create',
    })
  })

  const list = operation(
    { ...about, id: 'listTokens', summary: 'List your tokens', description: 'All that are neither revoked nor expired.' },
    { response: { 200: TokenList } },
  )
  app.get('/auth/tokens', list, async (request) => ({ items: await accounts.listTokens(callerOf(request)) }))

  const revoke = operation(
    {
      ...about,
      id: 'revokeToken',
      summary: 'Revoke a token',
      description: 'It takes effect immediately and cannot be undone.',
      errors: ['not_found'],
      recover: 'again',
    },
    { body: TokenRevokeRequest, response: { 200: TokenRevoked } },
  )
  app.delete('/auth/tokens', revoke, (request) => accounts.revokeToken(callerOf(request), request.body.token_id))
}
