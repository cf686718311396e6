// Implements Idempotency-Key for writes with a credential: the response to the first request is stored and sent to retries.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Account, LabHolder } from '../accounts/caller.ts'
import type { IdempotentRequests } from '../accounts/idempotent-requests.ts'
import { type StoredResponse, toStored, withRequestId } from '../accounts/stored-response.ts'
import { LabError, messageOf } from '../errors.ts'
import { invalidField } from '../validation-messages.ts'
import { pathIn } from './methods.ts'
import type { Recovered } from './operation.ts'
import { rootUrlOf } from './root-url.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the stored request, if it has an idempotency key. */
    requestId: string | undefined
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Parses a key, bare or as a quoted string. Throws invalid_request. */
const keyIn = (header: string | string[]): string => {
  const text = Array.isArray(header) ? '' : header.trim()
  const key = /^"(.*)"$/.exec(text)?.[1] ?? text
  if (!uuid.test(key)) throw invalidField('Idempotency-Key', 'must be one UUID', { hint: 'generate a new one for every write' })
  return key.toLowerCase()
}

const isKept = (status: number) => status < 500 && status !== 429 && status !== 401

export interface IdempotencyOptions {
  readonly requests: IdempotentRequests
  readonly sessionIdOf: (id: string) => string
  /** A stored response as it is sent now. */
  readonly restore: (stored: StoredResponse) => Promise<unknown>
  /** The largest response that is stored. */
  readonly mostBytes: number
}

const notKept = (status: number, reason: string) =>
  new LabError('idempotency_answer_not_kept', `the request was executed, but its response ${reason}`, {
    hint: 'look at what it changed, if it changed anything; to execute it again, use a new key',
    details: { status },
  })

/** Whether the route can still send it: one that an earlier version stored may lack what is promised now. */
const isSendable = (reply: FastifyReply, { status, body }: Recovered): boolean => {
  const serialize: unknown = reply.getSerializationFunction(String(status))
  if (typeof serialize !== 'function') return true // errors are described by media type, and all alike
  try {
    serialize(body)
    return true
  } catch {
    return false
  }
}

/** Nobody without a credential; the token of a lab only where it opens something. */
const writerOf = ({ caller, labHolder, routeOptions }: FastifyRequest): Account | LabHolder | null =>
  caller ?? (routeOptions.config.lab === true ? labHolder : null)

export const rememberWrites = (app: FastifyInstance, { requests, sessionIdOf, restore, mostBytes }: IdempotencyOptions): void => {
  const replay = (reply: FastifyReply, recovered: Recovered): FastifyReply => {
    const { status, body } = recovered
    reply.header('idempotent-replayed', 'true')
    if (body === undefined) throw notKept(status, 'was too large to be stored')
    const { replayed } = reply.routeOptions.config
    if (replayed !== undefined && status < 300) throw replayed(body)
    if (!isSendable(reply, recovered)) throw notKept(status, 'was stored by another version of the service')
    return reply.code(status).send(withRequestId(body, reply.request.id)) // by the route's own schema, as a fresh one is
  }

  /** The outcome of an interrupted request. Undefined when it is to be executed now. */
  const recover = async (request: FastifyRequest, id: string): Promise<Recovered | undefined> => {
    const how = request.routeOptions.config.recover
    if (typeof how === 'function') return (await how(id, rootUrlOf(request))) ?? undefined
    if (how !== 'unknown') return undefined
    throw new LabError(
      'idempotency_outcome_unknown',
      'the service was interrupted while it executed this request; the outcome is unknown',
      {
        hint: 'check the state of the sandbox, then use a new key',
      },
    )
  }

  /** The stored response; where there is none, a response rebuilt from the effect, if possible. */
  const answerOf = async (
    request: FastifyRequest,
    { id, status, answer }: { readonly id: string; readonly status: number; readonly answer: StoredResponse | null },
  ): Promise<Recovered> => {
    if (answer !== null) return { status, body: await restore(answer) }
    const how = request.routeOptions.config.recover
    const recovered = status < 300 && typeof how === 'function' ? await how(id, rootUrlOf(request)) : null
    return recovered ?? { status, body: undefined }
  }

  app.decorateRequest('requestId', undefined)

  app.addHook('preValidation', async (request, reply) => {
    const header = request.headers['idempotency-key']
    const writer = writerOf(request)
    if (header === undefined || writer === null || request.routeOptions.config.recover === undefined) return
    const identity = {
      writer,
      method: request.method,
      path: pathIn(request.url).replace(/\/$/, ''),
      key: keyIn(header),
    }
    const remembered = await requests.begin(identity, request.body ?? null)
    if (remembered.state === 'answered') return replay(reply, await answerOf(request, remembered))
    request.requestId = remembered.id
    if (remembered.state === 'new') return
    const recovered = await recover(request, remembered.id)
    if (recovered === undefined) return
    const kept = recovered.body === undefined ? null : toStored(recovered.body, sessionIdOf, mostBytes)
    await requests.finish(remembered.id, recovered.status, kept)
    request.requestId = undefined
    return replay(reply, recovered)
  })

  const keep = async (request: FastifyRequest, requestId: string, status: number, payload: unknown): Promise<void> => {
    try {
      const text = String(payload)
      const isTooLarge = text.length > mostBytes // then it is not even parsed
      if (!isKept(status)) await requests.release(requestId)
      else await requests.finish(requestId, status, isTooLarge ? null : toStored(JSON.parse(text), sessionIdOf, mostBytes))
    } catch (error) {
      request.log.error({ request_id: request.id, reason: messageOf(error) }, 'a response could not be stored')
    }
  }

  app.addHook('onSend', (request, reply, payload, done) => {
    const { requestId } = request
    if (requestId === undefined) return done(null, payload)
    request.requestId = undefined
    keep(request, requestId, reply.statusCode, payload).then(() => done(null, payload), done)
  })
}
