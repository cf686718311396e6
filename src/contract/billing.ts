// The customer portal of the payment provider, on the wire.

import { z } from 'zod'

export const BillingPortal = z
  .object({ url: z.url().describe('A page of the payment provider, valid for a short time: invoices, and the end of a subscription.') })
  .meta({ id: 'BillingPortal' })
