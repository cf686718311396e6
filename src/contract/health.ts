// The health of the service, on the wire.

import { z } from 'zod'

export const Health = z
  .object({
    status: z
      .enum(['ok', 'degraded'])
      .describe('Degraded: the engine or the store does not answer, or the disk use of sandboxes can only be estimated.'),
    version: z.string().describe('Of the service itself; the description of its interface has a version of its own.'),
  })
  .meta({ id: 'Health', examples: [{ status: 'ok', version: '0.1.0' }] })
export type Health = z.infer<typeof Health>
