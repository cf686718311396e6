// Turns every error, whatever its origin, into the error envelope.

import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { ErrorEnvelope } from '../contract/error.ts'
import { type ErrorCode, isLabError, LabError, statusOf } from '../errors.ts'
import type { Hosts } from '../hosts.ts'
import { createId } from '../ids.ts'
import { tellIssues } from '../validation-messages.ts'

const byStatus: Partial<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  404: 'not_found',
  413: 'payload_too_large',
  414: 'invalid_request',
  415: 'unsupported_media_type',
}

/** The error for an invalid request, with the names of the invalid fields. */
const invalid = (context: string | undefined, found: readonly FastifySchemaValidationError[]): LabError => {
  const issues = found.map(({ instancePath, message = 'is not valid', params }) => {
    const path = instancePath.split('/').filter(Boolean)
    return Array.isArray(params.keys) ? { path, message, keys: params.keys.map(String) } : { path, message }
  })
  const { summary, details } = tellIssues(issues, context ?? 'body')
  return new LabError('invalid_request', summary, { details })
}

export const toLabError = (error: FastifyError | Error): LabError => {
  if (isLabError(error)) return error
  if (hasZodFastifySchemaValidationErrors(error)) return invalid(error.validationContext, error.validation)
  const status = (error as FastifyError).statusCode
  const code = status === undefined ? undefined : byStatus[status]
  if (code !== undefined) return new LabError(code, error.message, { cause: error })
  return new LabError('internal', 'internal error', { hint: 'report the request id to the operator', cause: error })
}

export const envelope = (error: LabError, requestId: string): ErrorEnvelope => ({
  error: {
    code: error.code,
    message: error.message,
    ...(error.hint === undefined ? {} : { resolution_hint: error.hint }),
    ...(error.details === undefined ? {} : { details: { ...error.details } }),
    request_id: requestId,
  },
})

/** The headers of a response that does not pass the hooks; it counts as a read by that address. */
export type HeadersFor = (address: string) => Record<string, string>

export const sendError = (reply: FastifyReply, failure: FastifyError | Error, hosts: Hosts): FastifyReply => {
  const error = toLabError(failure)
  reply.header('x-request-id', reply.request.id)
  if (error.code === 'unauthorized') {
    reply.header(
      'www-authenticate',
      `Bearer resource_metadata="${hosts.rootUrlFor(reply.request.headers.host)}/.well-known/oauth-protected-resource"`,
    )
  }
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds)
  return reply.code(statusOf[error.code]).send(envelope(error, reply.request.id))
}

export const handleErrors = (app: FastifyInstance, hosts: Hosts, methodsOf: (path: string) => string[]): void => {
  app.setErrorHandler((error: FastifyError | Error, request: FastifyRequest, reply) => {
    const known = toLabError(error)
    if (statusOf[known.code] === 500) request.log.error({ request_id: request.id, err: error, cause: known.cause }, 'a request failed')
    return sendError(reply, known, hosts)
  })
  app.setNotFoundHandler((request, reply) => {
    const path = (request.url.split('?')[0] as string).slice(0, 200)
    const methods = methodsOf(path)
    if (methods.length === 0) return sendError(reply, new LabError('not_found', `there is no route ${request.method} ${path}`), hosts)
    reply.header('allow', methods.join(', '))
    if (request.method === 'OPTIONS') return reply.code(204).send()
    const refusal = new LabError('method_not_allowed', `method ${request.method} is not allowed here`, {
      hint: `use ${methods.join(', ')}`,
    })
    return sendError(reply, refusal, hosts)
  })
}

const broken: Record<string, { code: ErrorCode; message: string }> = {
  HPE_HEADER_OVERFLOW: { code: 'headers_too_large', message: 'the request headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout', message: 'the request took too long to arrive' },
}

/** Sends the envelope also for requests that cannot be parsed as HTTP. */
export const answerBrokenHttp =
  (headersFor: HeadersFor) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const { code, message } = broken[error.code ?? ''] ?? { code: 'invalid_request' as const, message: 'this is not valid HTTP' }
    const requestId = createId()
    const body = JSON.stringify(envelope(new LabError(code, message), requestId))
    socket.end(
      [
        `HTTP/1.1 ${statusOf[code]} ${code}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${requestId}`,
        ...Object.entries(headersFor(socket.remoteAddress ?? '')).map(([name, value]) => `${name}: ${value}`),
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    )
  }
