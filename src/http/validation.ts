// Validates the parts of a request by their contract. What is wrong is told by field, in our own words.

import type { FastifySchemaCompiler } from 'fastify'
import type { z } from 'zod'
import { LabError } from '../errors.ts'
import { inWords, summarizeIssues } from '../validation-messages.ts'

/** How people call a part of a request, and its fields. */
const parts: Readonly<Record<string, readonly [whole: string, noun: string]>> = {
  body: ['body', 'field'],
  querystring: ['query', 'parameter'],
  params: ['path', 'parameter'],
}

/** The same name twice in a query is a list to the parser, which nobody meant. */
const inWordsOfQuery: z.core.$ZodErrorMap = (issue) => (Array.isArray(issue.input) ? 'must be given once' : inWords(issue))

export const validateRequests: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart = 'body' }) =>
  (value: unknown) => {
    const parsed = schema.safeParse(value ?? undefined, { error: httpPart === 'querystring' ? inWordsOfQuery : inWords })
    if (parsed.success) return { value: parsed.data }
    const [whole, noun] = parts[httpPart] ?? ['request', 'field']
    const { summary, details } = summarizeIssues(parsed.error.issues, whole, noun)
    return { error: new LabError('invalid_request', summary, { details }) }
  }
