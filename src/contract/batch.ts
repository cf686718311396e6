// Several requests in one: what a batch takes and answers.

import { z } from 'zod'

const Json = z.record(z.string(), z.unknown())

export const BatchItem = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'DELETE']).describe('The method of the item.'),
  path: z
    .string()
    .min(1)
    .max(2048)
    .describe('Below the base URL, with or without its `/api/v1`.')
    .meta({ examples: ['/courses?limit=5'] }),
  body: Json.optional().describe('The JSON body of the item, where it takes one.'),
})
export type BatchItem = z.infer<typeof BatchItem>

export const BatchRequest = z
  .strictObject({
    requests: z.array(BatchItem).min(1).describe('What to run, in this order. At most `batch_items` of the public settings.'),
    mode: z
      .enum(['sequential', 'atomic'])
      .default('sequential')
      .describe(
        '`sequential`: in order, going on after a failure. `atomic`: ends at the first failure and undoes the starts before it; only `GET` and `POST /sandbox/start`.',
      ),
  })
  .meta({
    id: 'BatchRequest',
    examples: [
      {
        requests: [
          { method: 'GET', path: '/labs/capacity' },
          { method: 'GET', path: '/courses/scenario-01' },
        ],
      },
    ],
  })
export type BatchRequest = z.infer<typeof BatchRequest>

const BatchAnswer = z.object({
  status: z.int().describe('The HTTP status of the item.'),
  body: z
    .union([Json, z.string()])
    .describe('What the item answered: an object, or a text where it does not answer in JSON, such as a recording.'),
})

export const BatchResponse = z
  .object({ responses: z.array(BatchAnswer).describe('One for each request, in their order.') })
  .meta({ id: 'BatchResponse' })
export type BatchResponse = z.infer<typeof BatchResponse>
