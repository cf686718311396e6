// Parses the body of a POST to the endpoint, once: one JSON-RPC message. The same object is used for the rate limit and for
// execution, so that the two cannot differ.

import type { IncomingMessage } from 'node:http'
import { INVALID_REQUEST, PARSE_ERROR } from '@modelcontextprotocol/server'
import { messageOf } from '../errors.ts'
import { bodyRefusalOf, parseJson } from '../json-body.ts'

/** Calls have a few fields, the handshake some dozens. */
const mostMembers = 1_000

export interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
}

/** Why a body is not a valid message, for HTTP and for JSON-RPC. */
export interface Refusal {
  readonly status: number
  readonly code: number
  readonly reason: string
  readonly headers: Readonly<Record<string, string>>
}

export type Reading = { readonly message: Message } | { readonly refusal: Refusal }

/** The JSON-RPC code for errors that the server defines. */
const serverError = -32_000

const refuse = (status: number, code: number, reason: string, headers: Refusal['headers'] = {}): Reading => ({
  refusal: { status, code, reason, headers },
})

/** Null when the body is longer. */
const collect = async (request: IncomingMessage, mostBytes: number): Promise<Buffer | null> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length
    if (size > mostBytes) return null
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

export const parseMessage = (bytes: Buffer): Reading => {
  let value: unknown
  try {
    value = parseJson(bytes, mostMembers)
  } catch (error) {
    return refuse(400, PARSE_ERROR, messageOf(error))
  }
  if (Array.isArray(value)) return refuse(400, INVALID_REQUEST, 'batches of messages are not supported: send one at a time')
  if (typeof value !== 'object' || value === null) return refuse(400, INVALID_REQUEST, 'the body must be one JSON-RPC message')
  return { message: value }
}

/** The rest of a body that is too long is not read. */
const tooLong = (mostBytes: number) => refuse(413, serverError, `the body must not exceed ${mostBytes} bytes`, { connection: 'close' })

export const readMessage = async (request: IncomingMessage, mostBytes: number): Promise<Reading> => {
  const refusal = bodyRefusalOf(request.headers)
  if (refusal !== undefined) return refuse(415, serverError, `${refusal.error.message}: ${refusal.error.hint}`, refusal.headers)
  const bytes = await collect(request, mostBytes)
  return bytes === null ? tooLong(mostBytes) : parseMessage(bytes)
}
