// Converts the output or error of a tool into a tool result. Structured content is repeated as text, as the protocol wants it; a tool
// whose output may be long sends text only. An error has its code, message and hint as text, and no structured content, which would
// have to match the output schema.

import type { CallToolResult } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { isLabError, LabError, statusOf } from '../errors.ts'
import type { Log } from '../log.ts'
import { inWords, summarizeIssues } from '../validation-messages.ts'
import type { Tool } from './tool.ts'

export const success = ({ output, textOnly }: Pick<Tool, 'output' | 'textOnly'>, value: unknown): CallToolResult => {
  const structuredContent = output.parse(value)
  const content: CallToolResult['content'] = [{ type: 'text', text: JSON.stringify(structuredContent) }]
  return textOnly === true ? { content } : { content, structuredContent }
}

const toLabError = (error: unknown): LabError =>
  isLabError(error) ? error : new LabError('internal', 'internal error', { hint: 'report the request id to the operator', cause: error })

export const failure = (thrown: unknown, log: Log, about: { readonly tool: string; readonly requestId: string }): CallToolResult => {
  const error = toLabError(thrown)
  const { tool, requestId } = about
  if (statusOf[error.code] >= 500 && error.code !== 'engine_unavailable') {
    log.error({ err: thrown, cause: error.cause, tool, request_id: requestId }, 'a tool failed')
  }
  const envelope = {
    error: {
      code: error.code,
      message: error.message,
      resolution_hint: error.hint,
      retry_after_seconds: error.retryAfterSeconds,
      details: error.details,
      request_id: requestId,
    },
  }
  return { content: [{ type: 'text', text: JSON.stringify(envelope) }], isError: true }
}

/** Parses the arguments of a call. Throws invalid_request with the names of invalid fields, never their values. */
export const parseArguments = <Shape extends z.ZodObject>(shape: Shape, given: unknown): z.output<Shape> => {
  const parsed = shape.safeParse(given ?? {}, { error: inWords })
  if (parsed.success) return parsed.data
  const { summary, details } = summarizeIssues(parsed.error.issues, 'arguments', 'argument')
  throw new LabError('invalid_request', summary, { hint: 'tools/list describes the arguments', details })
}
