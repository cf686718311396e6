// The one shape of every error.

import { z } from 'zod'

/** The typed envelope of every error answer. */
export const ErrorEnvelope = z
  .object({
    error: z
      .object({
        code: z.string().describe('One of a closed set; decide by it, not by the message.'),
        message: z.string().describe('What happened, for people. It may change.'),
        resolution_hint: z.string().optional().describe('What you can do about it.'),
        details: z
          .record(z.string(), z.unknown())
          .optional()
          .describe('For programs: what depends on the code, such as the `fields` at fault.'),
        request_id: z.string().describe('The same as `X-Request-Id`; the log knows it.'),
      })
      .describe('What went wrong, and what can be done about it.'),
  })
  .meta({
    id: 'Error',
    examples: [
      {
        error: {
          code: 'not_found',
          message: 'there is no course scenario-99',
          resolution_hint: 'GET /courses lists all; scenario-01 is the default course',
          request_id: 'k3v9x2m4p7q1',
        },
      },
    ],
  })
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>
