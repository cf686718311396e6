// Personal access tokens, on the wire.

import { z } from 'zod'
import { lookupId, storableText } from './names.ts'

/** What is known of a personal access token once its raw value was handed out. */
export const ApiToken = z
  .object({
    id: z.string(),
    name: z.string(),
    last_four: z.string(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ApiToken' })
export type ApiToken = z.infer<typeof ApiToken>

export const tokenLimits = { defaultDays: 90, maxDays: 365 } as const

export const TokenCreateRequest = z.strictObject({
  name: storableText.trim().min(1).max(100),
  duration_days: z.int().min(1).max(tokenLimits.maxDays).default(tokenLimits.defaultDays),
})

export const TokenCreated = z
  .object({ token: z.string().describe('The raw value. It is shown this once.'), api_token: ApiToken })
  .meta({ id: 'TokenCreated' })

export const TokenList = z.object({ items: z.array(ApiToken) }).meta({ id: 'TokenList' })

export const TokenRevokeRequest = z.strictObject({ token_id: lookupId.describe('`id` of one of your tokens.') })

export const TokenRevoked = z.object({ token_id: z.string(), revoked_at: z.iso.datetime() }).meta({ id: 'TokenRevoked' })
