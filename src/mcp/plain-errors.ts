// Errors of the MCP SDK, as people read them: in plain words, and short. The SDK sends what its schema library wrote, and the messages
// of exceptions, which tell of its inside; and a short request could cause a long response, because every invalid field is listed.

import {
  CLIENT_CAPABILITIES_META_KEY,
  type JSONRPCMessage,
  type McpServer,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { didYouMean } from '../closest-word.ts'
import type { Log } from '../log.ts'
import { inWords, summarizeIssues } from '../validation-messages.ts'

const longestMessage = 1_000
const internalError = 'internal error'

const Issues = z
  .array(
    z.looseObject({
      code: z.string(),
      path: z.array(z.union([z.string(), z.number()])),
      message: z.string(),
      keys: z.array(z.string()).default([]),
    }),
  )
  .min(1)
type Issue = z.infer<typeof Issues>[number]

/** "Invalid input: expected string, received undefined" and its like. */
const typeIssue = /Invalid input: expected (\w+), received (\w+)/g

/** The SDK's word for the fields that each request of the stateless revision has in `params._meta`. */
const missingMeta = /the request is missing the required per-request envelope key\(s\): _meta\b/g
const missingField = /the request is missing the required per-request envelope key\(s\): /g
const envelope = /\b(?:the (?:body|notification)|_meta) envelope\b/g
const requiredMeta = `params._meta is missing, which must have ${PROTOCOL_VERSION_META_KEY} and ${CLIENT_CAPABILITIES_META_KEY}`

const typeInWords = (expected: string, received: string): string =>
  String(inWords({ code: 'invalid_type', expected, input: received === 'undefined' ? undefined : null, inst: undefined } as never))

/** The library leaves out what was given, of which only the message tells whether there was anything. */
const issueInWords = (issue: Issue): string =>
  String(inWords({ ...issue, input: issue.message.endsWith('received undefined') ? undefined : null } as never))

/** The issues that a message ends with, as JSON. */
const issuesIn = (message: string): readonly Issue[] | null => {
  try {
    return Issues.parse(JSON.parse(message.slice(message.search(/\[\s*\{/))))
  } catch {
    return null
  }
}

const shortened = (text: string): string => (text.length <= longestMessage ? text : `${text.slice(0, longestMessage - 1)}…`)

interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** The names that a client may call, by the SDK's word for what has them. */
export interface KnownNames {
  readonly Tool: readonly string[]
  readonly Prompt: readonly string[]
}

const lists = { Tool: 'tools/list', Prompt: 'prompts/list' } as const
const notFound = /^(Tool|Prompt) (.*) not found$/s
const longestName = 100

/** What is not there, and where it can be found. */
const withNames = (message: string, known: KnownNames): string =>
  message.replace(notFound, (_, kind: keyof KnownNames, name: string) => {
    const told = name.length <= longestName ? name : `${name.slice(0, longestName)}…`
    return `${kind} ${told} not found${didYouMean(name, known[kind]) || ':'} ${lists[kind]} lists them`
  })

const plainError = ({ code, message, data }: RpcError, known?: KnownNames): RpcError => {
  const issues = issuesIn(message)
  if (issues !== null) {
    const inOurWords = issues.map((issue) => ({ ...issue, message: issueInWords(issue) }))
    const { summary } = summarizeIssues(inOurWords, 'message')
    return { code: ProtocolErrorCode.InvalidParams, message: shortened(`invalid request: ${summary}`) }
  }
  if (code === ProtocolErrorCode.InternalError) return { code, message: internalError }
  const inOwnWords = (text: string) =>
    text
      .replace(typeIssue, (_, expected, received) => typeInWords(expected, received))
      .replace(missingMeta, requiredMeta)
      .replace(missingField, 'params._meta lacks ')
      .replace(envelope, 'params._meta')
  return {
    code,
    message: shortened(inOwnWords(known === undefined ? message : withNames(message, known))),
    ...(data === undefined ? {} : { data: JSON.parse(inOwnWords(JSON.stringify(data))) }),
  }
}

export const plain = (message: JSONRPCMessage, known?: KnownNames): JSONRPCMessage =>
  'error' in message ? { ...message, error: plainError(message.error, known) } : message

/** For errors that a server sends. Both revisions connect the inner server to a transport of their own, once per request. */
export const sendPlainErrors = ({ server }: McpServer, log: Log, known: KnownNames): void => {
  const connect = server.connect.bind(server)
  server.connect = (transport) => {
    const send = transport.send.bind(transport)
    transport.send = (message, options) => {
      const told = plain(message, known)
      if ('error' in message && 'error' in told && told.error.message === internalError) {
        log.error({ reason: message.error.message }, 'an MCP request failed')
      }
      return send(told, options)
    }
    return connect(transport)
  }
}

/** For errors that are sent before there is a server. */
export const plainResponse = async (response: Response): Promise<Response> => {
  if (response.status < 400 || response.headers.get('content-type') !== 'application/json') return response
  const { status, headers } = response
  return Response.json(plain((await response.json()) as JSONRPCMessage), { status, headers })
}
