// All that is done at the payment provider: customers, payment pages, and what is to be undone there. There is none where nothing can be
// bought.

import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import { type Customers, createCustomers } from './customers.ts'
import { createPaymentPages, type PaymentPages } from './payment-pages.ts'
import { createProviderUpkeep } from './provider-upkeep.ts'
import type { PaymentProvider } from './providers/provider.ts'

export interface ProviderOperations {
  readonly provider: PaymentProvider
  readonly customers: Customers
  readonly pages: PaymentPages
  /** Closes pages of checkouts that have ended, and ends subscriptions that nobody has any more. */
  readonly upkeep: () => Promise<void>
}

export interface ProviderOperationsDeps {
  readonly store: Pick<Store, 'customers' | 'checkouts'>
  readonly provider: PaymentProvider
  readonly clock: Clock
  readonly log: Log
}

export const createProviderOperations = ({ store, provider, clock, log }: ProviderOperationsDeps): ProviderOperations => {
  const customers = createCustomers({ store: store.customers, provider, clock })
  const pages = createPaymentPages({ store: store.checkouts, customers, provider, clock })
  return { provider, customers, pages, upkeep: createProviderUpkeep({ store: store.checkouts, provider, pages, clock, log }) }
}
