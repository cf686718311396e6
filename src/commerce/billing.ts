// What an account pays for, and the provider's page where a customer sees invoices and ends a subscription.

import type { Account } from '../accounts/caller.ts'
import type { BillingState } from '../contract/billing.ts'
import { LabError } from '../errors.ts'
import { paymentsOff } from './payments-off.ts'
import type { ProviderOperations } from './provider-operations.ts'
import type { Subscriptions } from './subscriptions.ts'

/** `at` is null where nothing can be bought. */
export const createBilling = (at: ProviderOperations | null, subscriptions: Subscriptions) => ({
  state: async (accountId: string): Promise<BillingState> => {
    const [all, customer] = await Promise.all([subscriptions.of(accountId), at === null ? null : at.customers.paying(accountId)])
    const shown = all.map(({ checkoutId, planId, name, state, paidUntil, endsAt }) => ({
      ...{ checkout_id: checkoutId, plan_id: planId, name, state, paid_until: paidUntil, ends_at: endsAt },
    }))
    return { subscriptions: shown, has_invoices: customer !== null }
  },

  /** Throws payments_off, payment_provider_unavailable, and not_found for an account that has paid nothing yet. */
  portal: async ({ accountId }: Account, returnUrl: string): Promise<{ readonly url: string }> => {
    if (at === null) throw paymentsOff()
    const customer = await at.customers.paying(accountId)
    if (customer === null) throw new LabError('not_found', 'this account has paid nothing yet', { hint: 'buy a plan or credits first' })
    return { url: await at.provider.portalUrl(customer, returnUrl) }
  },
})

export type Billing = ReturnType<typeof createBilling>
