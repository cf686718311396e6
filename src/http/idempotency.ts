// Idempotency-Key on every write: the answer of the first request is kept, and given to all that follow.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RememberedRequests } from '../accounts/remembered-requests.ts'
import { LabError, messageOf } from '../errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The remembered request that this is, if it came with a key. */
    requestId: string | undefined
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Bare, or as a quoted string. Throws invalid_request. */
const keyIn = (header: string | string[]): string => {
  const text = Array.isArray(header) ? '' : header.trim()
  const key = /^"(.*)"$/.exec(text)?.[1] ?? text
  if (!uuid.test(key))
    throw new LabError('invalid_request', 'Idempotency-Key: must be one UUID', { hint: 'make a new one for every write' })
  return key.toLowerCase()
}

const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
const isKept = (status: number) => status < 500 && status !== 429 && status !== 401

type Json = Record<string, unknown>

const walk = (value: unknown, change: (object: Json) => Json): unknown => {
  if (Array.isArray(value)) return value.map((part) => walk(part, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(change(value as Json)).map(([key, part]) => [key, walk(part, change)]))
}

/** Secrets are not stored: a session is marked by null, and its secrets are made again from its id. */
export const withoutSecrets = (body: unknown): unknown =>
  walk(body, ({ terminal_url: _, ...object }) => ('session_id' in object ? { ...object, session_id: null } : object))

export const withSecrets = (body: unknown, sessionIdOf: (id: string) => string): unknown =>
  walk(body, (object) => {
    const { session_id, id, ...rest } = object
    return session_id === null && typeof id === 'string' ? { session_id: sessionIdOf(id), id, ...rest } : object
  })

export interface IdempotencyOptions {
  readonly requests: RememberedRequests
  readonly sessionIdOf: (id: string) => string
}

export const rememberWrites = (app: FastifyInstance, { requests, sessionIdOf }: IdempotencyOptions): void => {
  const replay = (reply: FastifyReply, status: number, body: unknown): FastifyReply => {
    return reply
      .code(status)
      .header('idempotent-replayed', 'true')
      .header('content-type', 'application/json; charset=utf-8')
      .serializer(String)
      .send(JSON.stringify(body))
  }

  /** What an interrupted request came to. Undefined when it is to be carried out now. */
  const recover = async (request: FastifyRequest, id: string): Promise<{ status: number; body: unknown } | undefined> => {
    const how = request.routeOptions.config.recover
    if (typeof how === 'function') return (await how(id)) ?? undefined
    if (how !== 'unknown') return undefined
    throw new LabError(
      'idempotency_outcome_unknown',
      'the service was interrupted while it carried this out; nobody knows how far it came',
      {
        hint: 'look at the state of the sandbox, then use a new key',
      },
    )
  }

  app.decorateRequest('requestId', undefined)

  app.addHook('preValidation', async (request, reply) => {
    const header = request.headers['idempotency-key']
    if (header === undefined || request.caller === null || !writes.has(request.method) || request.is404) return
    const identity = {
      accountId: request.caller.accountId,
      method: request.method,
      path: request.url.split('?')[0] as string,
      key: keyIn(header),
    }
    const remembered = await requests.begin(identity, request.body ?? null)
    if (remembered.state === 'answered') return replay(reply, remembered.status, withSecrets(JSON.parse(remembered.body), sessionIdOf))
    request.requestId = remembered.id
    if (remembered.state === 'new') return
    const recovered = await recover(request, remembered.id)
    if (recovered === undefined) return
    await requests.finish(remembered.id, recovered.status, JSON.stringify(withoutSecrets(recovered.body)))
    request.requestId = undefined
    return replay(reply, recovered.status, recovered.body)
  })

  const keep = async (request: FastifyRequest, requestId: string, status: number, payload: unknown): Promise<void> => {
    try {
      if (isKept(status)) await requests.finish(requestId, status, JSON.stringify(withoutSecrets(JSON.parse(String(payload)))))
      else await requests.release(requestId)
    } catch (error) {
      request.log.error({ request_id: request.id, reason: messageOf(error) }, 'an answer could not be remembered')
    }
  }

  app.addHook('onSend', (request, reply, payload, done) => {
    const { requestId } = request
    if (requestId === undefined) return done(null, payload)
    request.requestId = undefined
    keep(request, requestId, reply.statusCode, payload).then(() => done(null, payload), done)
  })
}
