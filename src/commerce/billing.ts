// The provider's page where a customer sees invoices and ends a subscription.

import type { Account } from '../accounts/caller.ts'
import { LabError } from '../errors.ts'
import type { Customers } from './customers.ts'
import { paymentsOff } from './payments-off.ts'
import type { PaymentProvider } from './providers/provider.ts'

export interface BillingDeps {
  /** Null where nothing can be bought. */
  readonly customers: Customers | null
  readonly provider: PaymentProvider | null
}

export const createBilling = ({ customers, provider }: BillingDeps) => ({
  /** Whether the provider has invoices of the account. */
  isCustomer: async (accountId: string): Promise<boolean> => customers !== null && (await customers.paying(accountId)) !== null,

  /** Throws payments_off, payment_provider_unavailable, and not_found for an account that has paid nothing yet. */
  portal: async ({ accountId }: Account, returnUrl: string): Promise<{ readonly url: string }> => {
    if (provider === null || customers === null) throw paymentsOff()
    const customer = await customers.paying(accountId)
    if (customer === null) throw new LabError('not_found', 'this account has paid nothing yet', { hint: 'buy a plan or credits first' })
    return { url: await provider.portalUrl(customer, returnUrl) }
  },
})

export type Billing = ReturnType<typeof createBilling>
