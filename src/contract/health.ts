// Whether the service is well, on the wire.

import { z } from 'zod'

export const Health = z
  .object({
    status: z
      .enum(['ok', 'degraded'])
      .describe('Degraded: the engine or the store does not answer, or what sandboxes keep on disk can only be measured roughly.'),
    version: z.string(),
  })
  .meta({ id: 'Health', examples: [{ status: 'ok', version: '0.1.0' }] })
export type Health = z.infer<typeof Health>
