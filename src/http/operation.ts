// Defines an API operation: access, rate class, schemas and errors. Routing, rate limits and the OpenAPI document use it.

import { z } from 'zod'
import type { RateClass } from '../configured-limits.ts'
import { ErrorEnvelope } from '../contract/error.ts'
import { type ErrorCode, type LabError, statusOf } from '../errors.ts'
import { type OperationAccess, securityOf } from './security-schemes.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True where no credential is needed. */
    public?: boolean
    /** True where the token of a lab is enough. */
    lab?: boolean
    /** The rate class; `read` by default. */
    rate?: RateClass
    /** Finds the outcome of a request that a crash interrupted; null when it may be executed again. */
    recover?: Recover
    /** Refuses to send a response once more that holds a secret. */
    replayed?: (body: unknown) => LabError
  }
}

export interface Recovered {
  readonly status: number
  /** Undefined when it was not stored. */
  readonly body: unknown
}

/** `'unknown'` where it cannot be determined whether the interrupted request took effect. `rootUrl` is of the host that was asked. */
export type Recover = 'again' | 'unknown' | ((requestId: string, rootUrl: string) => Promise<Recovered | null>)

export interface About {
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: OperationAccess
  /** For a path at the root of the host, without the prefix of the API. */
  readonly atRoot?: true
  readonly rate?: RateClass
  /** Error codes beside those of every operation. */
  readonly errors?: readonly ErrorCode[]
  /** For writes: how a retry after a crash is handled. */
  readonly recover?: Recover
  /** For a response that holds a secret, which is not stored: the error that a replay gets. */
  readonly replayed?: (body: unknown) => LabError
}

interface OperationSchema {
  readonly params?: z.ZodType
  readonly querystring?: z.ZodType
  readonly body?: z.ZodType
  readonly response: Readonly<Record<number, z.ZodType>>
}

/** A successful response that is not JSON. */
interface FileAnswer {
  readonly type: string
  readonly schema: z.ZodType
  /** When there is nothing to send, and the answer is 204. */
  readonly orNothing?: string
}

/** A response without a body. */
export const redirect = z.null().describe('Go to `Location`')

/** Error codes of every operation. */
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
const withBody: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type', 'cross_site_request']
const withKey: readonly ErrorCode[] = [
  'idempotency_in_progress',
  'idempotency_outcome_unknown',
  'idempotency_answer_not_kept',
  'idempotency_key_reused',
]

/** Marks an operation whose server is the root of the host; the document names the hosts. */
const atRoot = [{ url: '/' }]

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

const fileResponse = ({ type, schema, orNothing }: FileAnswer) => ({
  200: { description: 'The file', content: { [type]: { schema } } },
  ...(orNothing === undefined ? {} : { 204: z.null().describe(orNothing) }),
})

/** The route options for Fastify. Handlers are typed with the successful responses only; the OpenAPI document has all. */
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
    security: securityOf(about.access),
    ...(about.atRoot === undefined ? {} : { servers: atRoot }),
  }
  return {
    config: {
      public: about.access === 'public',
      ...(about.access === 'lab' ? { lab: true } : {}),
      rate: about.rate ?? 'read',
      ...(isWrite ? { recover: about.recover } : {}),
      ...(about.replayed === undefined ? {} : { replayed: about.replayed }),
    },
    schema: described,
  }
}
