// Reports of payment providers, on the wire.

import { z } from 'zod'
import { lookupId } from './names.ts'

export const WebhookParams = z.strictObject({ provider: lookupId.describe('The payment provider, such as `stripe`.') })
export type WebhookParams = z.infer<typeof WebhookParams>

/** Its bytes are verified; what is in it is the provider's. */
export const WebhookBody = z.unknown().describe('An event, in the format of the provider.')

export const WebhookReceived = z
  .object({ received: z.literal(true).describe('It is stored, or was stored before, or means nothing here.') })
  .meta({ id: 'WebhookReceived' })
