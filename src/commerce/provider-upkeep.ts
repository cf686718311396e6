// What is to be undone at the payment provider: pages of checkouts that have ended, subscriptions that nobody has any more. Each step may be
// repeated, also by several servers at once, and goes on where a crash has ended it.

import { addMinutes, type Clock } from '../clock.ts'
import { isLabError, messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import type { CheckoutRow, CheckoutStore, Slice } from '../store/checkouts.ts'
import type { PaymentPages } from './payment-pages.ts'
import type { PaymentProvider } from './providers/provider.ts'

export interface ProviderUpkeepDeps {
  readonly store: CheckoutStore
  readonly provider: PaymentProvider
  readonly pages: PaymentPages
  readonly clock: Clock
  readonly log: Log
}

const batch = 100
/** No provider keeps a page open for longer. */
const pageMinutes = 48 * 60
/** For so long after the expiry, a page is looked for whose name was lost in a crash; then it has expired at the provider, too. */
const lostPageMinutes = 60

/** Each pass takes the next part of a list, and begins again after its end, so that what always fails does not keep the rest waiting. */
const inTurn = (list: (part: Slice) => Promise<readonly CheckoutRow[]>) => {
  let after = ''
  return async (): Promise<readonly CheckoutRow[]> => {
    const rows = await list({ after, limit: batch })
    after = rows.length < batch ? '' : (rows.at(-1)?.id ?? '')
    return rows
  }
}

export const createProviderUpkeep = ({ store, provider, pages, clock, log }: ProviderUpkeepDeps) => {
  const nowText = () => clock.now().toISOString()
  const minutesAgo = (minutes: number) => addMinutes(clock.now(), -minutes).toISOString()
  const pagesToClose = inTurn((part) => store.listPagesToClose(provider, minutesAgo(pageMinutes), part))
  const subscriptionsToStop = inTurn((part) => store.listSubscriptionsToStop(provider, part))

  const close = async (row: CheckoutRow): Promise<void> => {
    const isGivenUp = row.page_reference === null && row.expires_at < minutesAgo(lostPageMinutes)
    await (isGivenUp ? store.markPageClosed(row.id, nowText()) : pages.close(row))
  }

  const stop = async ({ id, subscription }: CheckoutRow): Promise<void> => {
    if (subscription === null) return
    await provider.endSubscription(subscription)
    await store.markSubscriptionStopped(id, nowText())
  }

  /** What fails is tried again by a later pass. Returns false when the provider is away: then the rest would only wait for it, too. */
  const forEach = async (rows: readonly CheckoutRow[], what: string, work: (row: CheckoutRow) => Promise<void>): Promise<boolean> => {
    for (const row of rows) {
      try {
        await work(row)
      } catch (error) {
        log.warn({ checkout: row.id, reason: messageOf(error) }, `${what} failed`)
        if (isLabError(error, 'payment_provider_unavailable')) return false
      }
    }
    return true
  }

  return async (): Promise<void> => {
    if (!(await forEach(await pagesToClose(), 'closing a payment page', close))) return
    await forEach(await subscriptionsToStop(), 'ending a subscription', stop)
  }
}
