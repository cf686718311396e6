// The capacity of the installation, on the wire.

import { z } from 'zod'

export const Capacity = z
  .object({
    status: z.enum(['available', 'busy', 'full']).describe('busy: a start has to queue. full: the queue is full too.'),
    total: z.int().describe('Sandboxes at once, of everybody together.'),
    in_use: z.int().describe('Sandboxes that live now.'),
    available: z.int().describe('How many more can be started without queueing.'),
    warm: z.record(z.string(), z.int()).describe('Sandboxes that are ready to be handed out, by course.'),
    queue: z
      .object({
        length: z.int().describe('Starts that wait for room.'),
        max: z.int().describe('Starts that may wait for room.'),
        estimated_wait_seconds: z.int().nullable().describe('For one more start. Null until enough sandboxes have ended to tell.'),
      })
      .describe('The queue of starts.'),
    updated_at: z.iso.datetime().describe('When this was counted.'),
  })
  .meta({
    id: 'Capacity',
    examples: [
      {
        status: 'available',
        total: 100,
        in_use: 3,
        available: 97,
        warm: {},
        queue: { length: 0, max: 50, estimated_wait_seconds: 0 },
        updated_at: '2026-11-15T12:00:00.000Z',
      },
    ],
  })
export type Capacity = z.infer<typeof Capacity>
