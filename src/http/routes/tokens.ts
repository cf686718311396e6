// Personal access tokens.

import { ApiToken, TokenCreated, TokenCreateRequest, TokenList, TokenRevoked, TokenRevokeRequest } from '../../contract/token.ts'
import { LabError } from '../../errors.ts'
import type { Routes } from '../app.ts'
import { browserSessionOf, callerOf } from '../authentication.ts'
import { operation } from '../operation.ts'

/** The raw value was in the first response, and is kept nowhere. */
const alreadyIssued = (api_token: ApiToken) =>
  new LabError('token_already_issued', 'this token was created by an earlier request, which got its value', {
    hint: 'if the value is lost, revoke the token and create another one with a new key',
    details: { api_token },
  })

export const routes: Routes = (app, { accounts }) => {
  const about = { tag: 'Account', access: 'account', rate: 'auth' } as const

  const create = operation(
    {
      ...about,
      id: 'createToken',
      summary: 'Create a personal access token',
      description:
        'Needs a signed-in browser session: a token cannot create tokens, so a request with one is always refused with 403. The raw value is ' +
        'in this one response only; a replay with the same key is 409 `token_already_issued`. The operator may also use `./lab token create`.',
      errors: ['forbidden', 'token_limit_reached', 'token_already_issued'],
      recover: async (requestId) => {
        const issued = await accounts.findIssued(requestId)
        return issued === null ? null : { status: 201, body: { api_token: issued } }
      },
      replayed: (body) => alreadyIssued(ApiToken.parse((body as { api_token?: unknown }).api_token)),
    },
    { body: TokenCreateRequest, response: { 201: TokenCreated } },
  )
  app.post('/auth/tokens', create, async (request, reply) => {
    browserSessionOf(request, 'a personal access token cannot create another one')
    const { name, duration_days } = request.body
    return reply.code(201).send(await accounts.issueToken(callerOf(request), name, duration_days, request.requestId))
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
