// The provider's page where a customer sees invoices and ends a subscription.

import type { Account } from '../accounts/caller.ts'
import { LabError } from '../errors.ts'
import type { AtProvider } from './at-provider.ts'
import { paymentsOff } from './payments-off.ts'

/** `at` is null where nothing can be bought. */
export const createBilling = (at: AtProvider | null) => ({
  /** Whether the provider has invoices of the account. */
  isCustomer: async (accountId: string): Promise<boolean> => at !== null && (await at.customers.paying(accountId)) !== null,

  /** Throws payments_off, payment_provider_unavailable, and not_found for an account that has paid nothing yet. */
  portal: async ({ accountId }: Account, returnUrl: string): Promise<{ readonly url: string }> => {
    if (at === null) throw paymentsOff()
    const customer = await at.customers.paying(accountId)
    if (customer === null) throw new LabError('not_found', 'this account has paid nothing yet', { hint: 'buy a plan or credits first' })
    return { url: await at.provider.portalUrl(customer, returnUrl) }
  },
})

export type Billing = ReturnType<typeof createBilling>
