// HTTP responses of the endpoints that are not results: JSON-RPC errors with the right status and headers.

import type { ServerResponse } from 'node:http'
import { type Allowance, rateHeaders } from '../rate-limit.ts'

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

const sendLimited = (response: ServerResponse, code: string, message: string, retryAfterSeconds: number, id?: unknown): void => {
  response.setHeader('retry-after', retryAfterSeconds)
  sendRpcError(response, 429, { code: limited, message, data: { code, retry_after_seconds: retryAfterSeconds } }, id)
}

export const refuseForNow = (response: ServerResponse, allowance: Allowance, id?: unknown): void => {
  setRateHeaders(response, allowance)
  sendLimited(response, 'rate_limited', 'too many requests', Math.max(1, allowance.resetSeconds), id)
}

/** For what is counted while it lasts. */
export const refuseMore = (response: ServerResponse, message: string, id?: unknown): void =>
  sendLimited(response, 'too_many_connections', message, 1, id)

/** The methods of an endpoint as headers list them, in a fixed order. */
export const allowed = (methods: readonly string[]): string => [...methods, 'OPTIONS'].sort().join(', ')

export const refuseMethod = (response: ServerResponse, methods: readonly string[]): void => {
  response.setHeader('allow', allowed(methods))
  sendRpcError(response, 405, { code: -32_000, message: `this method is not allowed here: use ${methods.join(' or ')}` })
}
