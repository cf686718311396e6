// An operation of the API in one place: who may call it, what it costs, and everything it can answer. Routing, limits and
// the OpenAPI document all read from here.

import type { z } from 'zod'
import { ErrorEnvelope } from '../contract/error.ts'
import { type ErrorCode, statusOf } from '../errors.ts'
import type { RateClass } from '../limits.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True where no credential is needed. */
    public?: boolean
    /** What a request is counted as; `read` by default. */
    rate?: RateClass
    /** What became of an earlier request that a server left under way; null when it may be carried out anew. */
    recover?: Recover
  }
}

export interface Recovered {
  readonly status: number
  /** Undefined when it was not kept. */
  readonly body: unknown
}

/** `'unknown'` where nobody can tell whether the earlier request took effect. */
export type Recover = 'again' | 'unknown' | ((requestId: string) => Promise<Recovered | null>)

export interface About {
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: 'public' | 'account'
  readonly rate?: RateClass
  /** What it can fail with beside what every operation can. */
  readonly errors?: readonly ErrorCode[]
  /** For writes: how a retry after a crash goes. */
  readonly recover?: Recover
}

interface OperationSchema {
  readonly params?: z.ZodType
  readonly querystring?: z.ZodType
  readonly body?: z.ZodType
  readonly response: Readonly<Record<number, z.ZodType>>
}

/** An answer that is not JSON: what 200 sends. */
interface FileAnswer {
  readonly type: string
  readonly schema: z.ZodType
}

/** Any request can meet these. */
const everywhere: readonly ErrorCode[] = [
  'invalid_request',
  'unsupported_api_version',
  'unauthorized',
  'request_timeout',
  'rate_limited',
  'too_many_connections',
  'headers_too_large',
  'internal',
  'shutting_down',
]
const withBody: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type']
const withKey: readonly ErrorCode[] = [
  'idempotency_in_progress',
  'idempotency_outcome_unknown',
  'idempotency_answer_not_kept',
  'idempotency_key_reused',
]

const errorResponses = (codes: readonly ErrorCode[]) => {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) byStatus.set(statusOf[code], [...(byStatus.get(statusOf[code]) ?? []), code])
  return Object.fromEntries(
    [...byStatus].map(([status, known]) => [
      status,
      { description: known.map((code) => `\`${code}\``).join(', '), content: { 'application/json': { schema: ErrorEnvelope } } },
    ]),
  )
}

const fileResponse = ({ type, schema }: FileAnswer) => ({
  200: { description: 'The file', content: { [type]: { schema } } },
})

/** The options of a route. Types see the successful answers only; the document has all of them. */
export const operation = <Schema extends OperationSchema>(about: About, schema: Schema, file?: FileAnswer) => {
  const isWrite = about.recover !== undefined
  const codes = [...everywhere, ...(isWrite ? [...withBody, ...withKey] : []), ...(about.errors ?? [])]
  const described: Schema = {
    ...schema,
    response: { ...schema.response, ...(file === undefined ? {} : fileResponse(file)), ...errorResponses(codes) },
    operationId: about.id,
    tags: [about.tag],
    summary: about.summary,
    ...(about.description === undefined ? {} : { description: about.description }),
    security: about.access === 'public' ? [{}, { bearer: [] }] : [{ bearer: [] }],
  }
  return {
    config: { public: about.access === 'public', rate: about.rate ?? 'read', ...(isWrite ? { recover: about.recover } : {}) },
    schema: described,
  }
}
