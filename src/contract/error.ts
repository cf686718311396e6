import { z } from 'zod'

/** The typed envelope of every error answer. */
export const ErrorEnvelope = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    resolution_hint: z.string().optional(),
    details: z.record(z.string(), z.unknown()).optional(),
    request_id: z.string(),
  }),
})
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>
