// The terminal as an operation: OpenAPI can describe the upgrade and how it is refused; the frames are schemas and the text of the tag.

import { type ErrorCode, statusOf } from '../../errors.ts'
import type { OperationObject, Response } from './openapi-types.ts'

const refusals: readonly ErrorCode[] = [
  'invalid_request',
  'unsupported_api_version',
  'unauthorized',
  'forbidden',
  'rate_limited',
  'too_many_connections',
  'internal',
  'shutting_down',
]

const refusalsByStatus = (): Record<string, Response> => {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
  const byStatus = Map.groupBy(refusals, (code) => statusOf[code])
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, { description: codes.map((code) => `\`${code}\``).join(', '), content }]),
  )
}

export const terminalOperation: OperationObject = {
  operationId: 'openTerminal',
  summary: 'Open a terminal',
  description:
    'An upgrade to a WebSocket. The request carries no credential: the first message does. A browser may connect only from a page of this ' +
    'service or of an origin that the operator allows. Without the upgrade it is 400.',
  tags: ['Terminal'],
  security: [{}],
  parameters: [
    {
      name: 'Upgrade',
      in: 'header',
      required: true,
      description: 'Set by every WebSocket client.',
      example: 'websocket',
      schema: { type: 'string', const: 'websocket' },
    },
  ],
  responses: {
    101: { description: 'The connection is a WebSocket now: send the first message.' },
    ...refusalsByStatus(),
    default: { description: 'Any other refusal', content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
  },
}
