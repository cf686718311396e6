// The provider's pages of checkouts. What is asked for is stored before the provider is asked, so that after a crash it is asked the same
// again, and answers with the same page.

import { z } from 'zod'
import { parseCheckedJson } from '../checked-json.ts'
import type { Clock } from '../clock.ts'
import type { CheckoutRow, CheckoutStore } from '../store/checkouts.ts'
import type { Customers } from './customers.ts'
import type { Order, PaymentProvider } from './providers/provider.ts'

/** Pages of this service to which the provider sends the browser. */
export interface ReturnPages {
  readonly returnUrl: string
  readonly cancelUrl: string
}

const StoredOrder = z.object({
  checkoutId: z.string(),
  accountId: z.string(),
  offerId: z.string(),
  name: z.string(),
  amount: z.number(),
  currency: z.string(),
  interval: z.enum(['month', 'once']),
  expiresAt: z.string(),
  returnUrl: z.string(),
  cancelUrl: z.string(),
  customer: z.string(),
}) satisfies z.ZodType<Order>

const orderOf = (row: CheckoutRow, accountId: string, customer: string, pages: ReturnPages): Order => ({
  checkoutId: row.id,
  accountId,
  offerId: row.offer_id,
  name: row.name,
  amount: row.amount,
  currency: row.currency,
  interval: row.interval,
  expiresAt: row.expires_at,
  ...pages,
  customer,
})

export interface PaymentPagesDeps {
  readonly store: CheckoutStore
  readonly customers: Customers
  readonly provider: PaymentProvider
  readonly clock: Clock
}

export const createPaymentPages = ({ store, customers, provider, clock }: PaymentPagesDeps) => {
  /** Asks for what was stored. Returns the row as it is afterwards. */
  const openStored = async ({ id, page_order }: CheckoutRow): Promise<CheckoutRow | null> => {
    if (page_order === null) return store.find(id)
    return store.keepPage(id, await provider.open(parseCheckedJson(StoredOrder, page_order)), clock.now().toISOString())
  }

  return {
    /** The address of the page; null when the checkout is not open any more. */
    open: async (row: CheckoutRow, accountId: string, pages: ReturnPages): Promise<string | null> => {
      if (row.status === 'open' && row.page_url !== null) return row.page_url
      const customer = await customers.of(accountId)
      const prepared = await store.prepareOpening(row.id, JSON.stringify(orderOf(row, accountId, customer, pages)))
      if (prepared?.status !== 'open') return null
      const opened = await openStored(prepared)
      return opened?.status === 'open' ? opened.page_url : null
    },

    /** Closes the page of a checkout that is not open any more. A page whose name was lost in a crash is asked for again. */
    close: async (row: CheckoutRow): Promise<void> => {
      const reference = row.page_reference ?? (await openStored(row))?.page_reference ?? null
      if (reference !== null) await provider.close(reference)
      await store.markPageClosed(row.id, clock.now().toISOString())
    },
  }
}

export type PaymentPages = ReturnType<typeof createPaymentPages>
