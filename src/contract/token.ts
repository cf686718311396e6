import { z } from 'zod'

/** What is known of a personal access token once its raw value was handed out. */
export const ApiToken = z.object({
  id: z.string(),
  name: z.string(),
  last_four: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable(),
})
export type ApiToken = z.infer<typeof ApiToken>

export const tokenLimits = { defaultDays: 90, maxDays: 365 } as const

export const TokenCreateRequest = z.strictObject({
  name: z.string().trim().min(1).max(100),
  duration_days: z.int().min(1).max(tokenLimits.maxDays).default(tokenLimits.defaultDays),
})
