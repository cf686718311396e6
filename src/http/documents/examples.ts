// Examples of the OpenAPI document: requests and answers of a real drill, kept in examples.json. test/api/documents.test.ts runs the drill,
// writes the file when asked to, and fails when an example is missing or no longer what the service answers.

import { errorMeanings } from '../../error-meanings.ts'
import { type ErrorCode, statusOf } from '../../errors.ts'
import kept from './examples.json' with { type: 'json' }
import type { MediaType, OperationObject, Paths, Response } from './openapi-types.ts'

/** Stands for the root URL in kept examples. */
export const rootPlaceholder = '{{root_url}}'

export interface OperationExample {
  /** Of path and query, by name. */
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  /** Answers by status. */
  readonly responses: Readonly<Record<string, unknown>>
}

export interface Examples {
  readonly operations: Readonly<Record<string, OperationExample>>
  /** Envelopes by code; for those that a drill does not meet, one is made of their meaning. */
  readonly errors: Readonly<Record<string, unknown>>
}

const examples: Examples = kept

/** Examples name the host that was asked. */
const placedAt = (root: string, example: OperationExample): OperationExample =>
  JSON.parse(JSON.stringify(example).replaceAll(rootPlaceholder, root))

const madeOf = (code: ErrorCode) => ({
  error: { code, message: errorMeanings[code].means, resolution_hint: errorMeanings[code].remedy, request_id: '0example0request' },
})

/** `components.examples`: one for each error code that an operation names. */
export const errorExamplesIn = (paths: Paths): Record<string, unknown> => {
  const responses = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap((operation) => Object.values(operation.responses)),
  )
  const named = new Set(
    responses.flatMap(({ content = {} }) => Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples))),
  )
  return Object.fromEntries(
    (Object.keys(statusOf) as ErrorCode[])
      .filter((code) => named.has(code))
      .map((code) => [code, { summary: errorMeanings[code].means, value: examples.errors[code] ?? madeOf(code) }]),
  )
}

const withBody = (content: Readonly<Record<string, MediaType>>, example: unknown): Record<string, MediaType> =>
  Object.fromEntries(Object.entries(content).map(([type, media]) => [type, { ...media, example }]))

const errorCodesIn = ({ description }: Response): ErrorCode[] =>
  [...description.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code).filter((code): code is ErrorCode => Object.hasOwn(statusOf, code ?? ''))

/** A refusal with an example for each of its codes, and their meanings. */
const explained = (response: Response): Response => {
  const codes = errorCodesIn(response)
  if (codes.length === 0) return response
  const refs = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
  return {
    ...response,
    description: codes.map((code) => `\`${code}\`: ${errorMeanings[code].means}.`).join('\n\n'),
    content: Object.fromEntries(Object.entries(response.content ?? {}).map(([type, media]) => [type, { ...media, examples: refs }])),
  }
}

export const withExamples = (operation: OperationObject, root: string): OperationObject => {
  const known = examples.operations[operation.operationId]
  const example = known === undefined ? undefined : placedAt(root, known)
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    if (/^[45]/.test(status)) return [status, explained(response)]
    const body = example?.responses[status]
    return [
      status,
      body === undefined || response.content === undefined ? response : { ...response, content: withBody(response.content, body) },
    ]
  })
  const { parameters, requestBody } = operation
  const given = (name: string) => example?.parameters?.[name]
  return {
    ...operation,
    ...(parameters === undefined
      ? {}
      : { parameters: parameters.map((one) => (given(one.name) === undefined ? one : { ...one, example: given(one.name) })) }),
    ...(requestBody === undefined || example?.body === undefined
      ? {}
      : { requestBody: { ...requestBody, content: withBody(requestBody.content, example.body) } }),
    responses: Object.fromEntries(responses),
  }
}
