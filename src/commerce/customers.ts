// The customer that the payment provider knows an account by. There is one for each account, made before its first payment page: so
// what the account pays on several pages is found in one place.

import type { Clock } from '../clock.ts'
import { LabError } from '../errors.ts'
import type { CustomerStore } from '../store/customers.ts'
import type { PaymentProvider } from './providers/provider.ts'

export interface CustomersDeps {
  readonly store: CustomerStore
  readonly provider: PaymentProvider
  readonly clock: Clock
}

export const createCustomers = ({ store, provider, clock }: CustomersDeps) => {
  const keyOf = (accountId: string) => ({ account_id: accountId, provider: provider.name, live: Number(provider.live) })

  const create = async (accountId: string): Promise<string> => {
    const customer = await provider.createCustomer(accountId)
    const kept = await store.keep({ ...keyOf(accountId), customer, created_at: clock.now().toISOString() })
    if (kept === null) throw new LabError('unauthorized', 'the account was deleted')
    return kept
  }

  return {
    /** Null for an account that has paid nothing yet. */
    paying: (accountId: string): Promise<string | null> => store.findPaying(keyOf(accountId)),

    /** Throws payment_provider_unavailable. */
    of: async (accountId: string): Promise<string> =>
      (await store.findPaying(keyOf(accountId))) ?? (await store.find(keyOf(accountId))) ?? (await create(accountId)),
  }
}

export type Customers = ReturnType<typeof createCustomers>
