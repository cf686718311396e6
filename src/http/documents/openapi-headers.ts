// The headers of responses, as the OpenAPI document describes them.

const whole = { type: 'integer' }
const text = { type: 'string' }

export const headers = {
  'X-Request-Id': { description: 'Identifies the request in the logs.', schema: text },
  'API-Version': { description: 'The version that was applied.', schema: text },
  'RateLimit-Limit': { description: 'Requests of this class per minute.', schema: whole },
  'RateLimit-Remaining': { description: 'How many more requests would be accepted now.', schema: whole },
  'RateLimit-Reset': { description: 'Seconds until one more request would be accepted.', schema: whole },
  'WWW-Authenticate': { description: 'Where the credential requirements are described.', schema: text },
  'Retry-After': { description: 'Seconds to wait. Not sent where waiting does not help.', schema: whole },
  Location: { description: 'Where the job can be polled: its `status_url`.', schema: text },
  ETag: { description: 'Identifies this version of the response.', schema: text },
  'Idempotent-Replayed': { description: '`true` when this is the response to an earlier request with the same key.', schema: text },
}
export type HeaderName = keyof typeof headers

const always: readonly HeaderName[] = ['X-Request-Id', 'API-Version', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
const byStatus: Readonly<Record<string, readonly HeaderName[]>> = {
  202: ['Location', 'Retry-After'],
  401: ['WWW-Authenticate'],
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

/** References to the headers of a response with this status, and to `more`. */
export const headersOf = (status: string, more: readonly HeaderName[] = []) =>
  Object.fromEntries([...always, ...(byStatus[status] ?? []), ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
