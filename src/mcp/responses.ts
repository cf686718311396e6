// HTTP responses of the endpoints that are not results: JSON-RPC errors with the right status and headers.

import type { ServerResponse } from 'node:http'
import type { RateClass } from '../configured-limits.ts'
import { LabError } from '../errors.ts'
import { type Allowance, rateHeaders, tooManyRequests } from '../rate-limit.ts'

/** The JSON-RPC error code for a reached limit, outside the reserved range. */
const limited = 429

export const sendJson = (response: ServerResponse, status: number, body: unknown, type = 'application/json'): void => {
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))
}

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** `id` is that of the message, where it was read. */
export const sendRpcError = (response: ServerResponse, status: number, error: RpcError, id?: unknown): void => {
  const known = typeof id === 'string' || typeof id === 'number' ? id : null
  sendJson(response, status, { jsonrpc: '2.0', error, id: known })
}

export const setRateHeaders = (response: ServerResponse, allowance: Allowance | null): void => {
  for (const [name, value] of Object.entries(rateHeaders(allowance))) response.setHeader(name, value)
}

/** The error of REST; its message is that of the JSON-RPC error, the rest its data. */
const sendLimited = (response: ServerResponse, error: LabError, id?: unknown): void => {
  const { code, message, hint, details, retryAfterSeconds = 1 } = error
  response.setHeader('retry-after', retryAfterSeconds)
  const data = { code, resolution_hint: hint, retry_after_seconds: retryAfterSeconds, details }
  sendRpcError(response, 429, { code: limited, message, data }, id)
}

export const refuseForNow = (response: ServerResponse, rateClass: RateClass, allowance: Allowance, id?: unknown): void => {
  setRateHeaders(response, allowance)
  sendLimited(response, tooManyRequests('anonymous', rateClass, allowance), id) // of class `auth`, here, are wrong credentials alone
}

/** For what is counted while it lasts. */
export const refuseMore = (response: ServerResponse, message: string, hint: string, id?: unknown): void =>
  sendLimited(response, new LabError('too_many_connections', message, { hint, retryAfterSeconds: 1 }), id)

/** The methods of an endpoint as headers list them, in a fixed order. */
export const allowed = (methods: readonly string[]): string => [...methods, 'OPTIONS'].sort().join(', ')

export const refuseMethod = (response: ServerResponse, methods: readonly string[]): void => {
  response.setHeader('allow', allowed(methods))
  sendRpcError(response, 405, { code: -32_000, message: `this method is not allowed here: use ${methods.join(' or ')}` })
}
