// Who asks: the bearer token becomes request.caller. A wrong credential is refused everywhere, also where none is needed.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Accounts } from '../accounts/accounts.ts'
import type { Account } from '../accounts/caller.ts'
import { LabError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True where no credential is needed. */
    public?: boolean
    /** True where credentials, good and bad, are somebody else's business. */
    mounted?: boolean
  }
  interface FastifyRequest {
    caller: Account | null
  }
}

const bearer = (header: string): string => {
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1]
  if (token === undefined) throw new LabError('unauthorized', 'the Authorization header must be: Bearer <token>')
  return token
}

export const authenticateRequests = (app: FastifyInstance, accounts: Accounts): void => {
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.mounted === true) return
    const header = request.headers.authorization
    if (header !== undefined) request.caller = await accounts.authenticate(bearer(header))
    const isPublic = request.routeOptions.config.public === true || request.is404
    if (request.caller === null && !isPublic) {
      throw new LabError('unauthorized', 'this needs an access token', {
        hint: 'send Authorization: Bearer <token>; ./lab token create makes one',
      })
    }
  })
}

/** The caller of a route that is not public. */
export const callerOf = (request: FastifyRequest): Account => {
  if (request.caller === null) throw new LabError('unauthorized', 'this needs an access token')
  return request.caller
}
