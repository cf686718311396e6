// Turns every error, whatever its origin, into the error envelope.

import { METHODS } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { OwnAccount } from '../accounts/own-account.ts'
import { bodyLimit } from '../contract/api-version.ts'
import type { ErrorEnvelope } from '../contract/error.ts'
import { type ErrorCode, isLabError, LabError, statusOf } from '../errors.ts'
import type { Hosts } from '../hosts.ts'
import { createId } from '../ids.ts'

/** What Fastify finds wrong with a request before its route sees it. */
const ofFastify: Readonly<Record<string, () => LabError>> = {
  FST_ERR_BAD_URL: () => new LabError('invalid_request', 'the path is not a valid URL', { hint: 'write a % as %25' }),
  FST_ERR_CTP_BODY_TOO_LARGE: () => new LabError('payload_too_large', `the body is larger than ${bodyLimit} bytes`),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new LabError('unsupported_media_type', 'the body must be JSON', { hint: 'send Content-Type: application/json' }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => new LabError('invalid_request', 'the body is not as long as Content-Length says'),
}

export const toLabError = (error: FastifyError | Error): LabError => {
  if (isLabError(error)) return error
  const { code, statusCode = 500 } = error as Partial<FastifyError>
  const known = ofFastify[code ?? '']
  if (known !== undefined) return known()
  if (statusCode < 500) return new LabError('invalid_request', 'the request could not be read', { cause: error })
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

export const handleErrors = (app: FastifyInstance, hosts: Hosts, { explain }: Pick<OwnAccount, 'explain'>): void => {
  app.setErrorHandler(async (thrown: FastifyError | Error, request: FastifyRequest, reply) => {
    const error = (await explain(request.caller, thrown)) as Error
    const known = toLabError(error)
    if (statusOf[known.code] === 500) request.log.error({ request_id: request.id, err: error, cause: known.cause }, 'a request failed')
    return sendError(reply, known, hosts)
  })
}

const broken: Record<string, { code: ErrorCode; message: string }> = {
  HPE_HEADER_OVERFLOW: { code: 'headers_too_large', message: 'the request headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout', message: 'the request took too long to arrive' },
}

type ParserError = Error & { readonly code?: string; readonly rawPacket?: unknown }
type RefusalOf = (method: string, target: string) => { readonly error: LabError; readonly methods: readonly string[] }

const requestLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,40}) ([\x21-\x7e]+) HTTP\/1\.[01]\r?\n/

/** A valid request whose method the parser does not know is refused as one whose path does not have it. */
const refusalOfMethod = ({ code, rawPacket }: ParserError, refusalOf: RefusalOf) => {
  if (code !== 'HPE_INVALID_METHOD' || !Buffer.isBuffer(rawPacket)) return undefined
  const [, method = '', target = ''] = requestLine.exec(rawPacket.toString('latin1')) ?? []
  return method === '' || METHODS.includes(method) ? undefined : refusalOf(method, target)
}

/** Sends the envelope also for requests that cannot be parsed as HTTP. */
export const answerBrokenHttp =
  (headersFor: HeadersFor, refusalOf: RefusalOf) =>
  (failure: ParserError, socket: Socket): void => {
    if (failure.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const { code, message } = broken[failure.code ?? ''] ?? { code: 'invalid_request' as const, message: 'this is not valid HTTP' }
    const { error, methods } = refusalOfMethod(failure, refusalOf) ?? { error: new LabError(code, message), methods: [] }
    const requestId = createId()
    const body = JSON.stringify(envelope(error, requestId))
    socket.end(
      [
        `HTTP/1.1 ${statusOf[error.code]} ${error.code}`,
        ...(methods.length === 0 ? [] : [`Allow: ${methods.join(', ')}`]),
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
