// Personal access tokens, on the wire.

import { z } from 'zod'
import { lookupId, storableText } from './names.ts'

/** What is known of a personal access token once its raw value was handed out. */
export const ApiToken = z
  .object({
    id: z.string().describe('`token_id` to revoke it by.'),
    name: z.string().describe('What its owner calls it.'),
    last_four: z.string().describe('The end of the raw value, to tell tokens apart.'),
    created_at: z.iso.datetime().describe('When it was made.'),
    expires_at: z.iso.datetime().describe('From when on it is refused.'),
    last_used_at: z.iso.datetime().nullable().describe('Null when it was never used.'),
  })
  .meta({ id: 'ApiToken' })
export type ApiToken = z.infer<typeof ApiToken>

export const tokenLimits = { defaultDays: 90, maxDays: 365 } as const

export const TokenCreateRequest = z.strictObject({
  name: storableText.trim().min(1).max(100).describe('What to call it.'),
  duration_days: z.int().min(1).max(tokenLimits.maxDays).default(tokenLimits.defaultDays).describe('For how long it is good.'),
})

export const TokenCreated = z
  .object({
    token: z.string().describe('The raw value. It is shown this once.'),
    api_token: ApiToken.describe('What is known of it afterwards.'),
  })
  .meta({ id: 'TokenCreated' })

export const TokenList = z
  .object({ items: z.array(ApiToken).describe('All that are neither revoked nor expired.') })
  .meta({ id: 'TokenList' })

export const TokenRevokeRequest = z.strictObject({ token_id: lookupId.describe('`id` of one of your tokens.') })

export const TokenRevoked = z
  .object({ token_id: z.string().describe('The token.'), revoked_at: z.iso.datetime().describe('When it was revoked.') })
  .meta({ id: 'TokenRevoked' })
