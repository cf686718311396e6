// What is done from time to time: expires checkouts, closes their pages at the provider, ends subscriptions that nobody has any more.
// Each step may be repeated, also by several servers at once, and goes on where a crash has ended it.

import { addMinutes, type Clock } from '../clock.ts'
import { messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import type { CheckoutRow, CheckoutStore } from '../store/checkouts.ts'
import type { PaymentPages } from './payment-pages.ts'
import type { PaymentProvider } from './providers/provider.ts'

export interface SweepDeps {
  readonly store: CheckoutStore
  readonly provider: PaymentProvider | null
  readonly pages: PaymentPages | null
  readonly clock: Clock
  readonly log: Log
}

const batch = 100
/** No provider keeps a page open for longer. */
const pageMinutes = 48 * 60
/** For so long after the expiry, a page is looked for whose name was lost in a crash; then it has expired at the provider, too. */
const lostPageMinutes = 60

export const createSweep = ({ store, provider, pages, clock, log }: SweepDeps) => {
  const nowText = () => clock.now().toISOString()

  /** What fails is tried again by the next pass. */
  const forEach = async (rows: readonly CheckoutRow[], what: string, work: (row: CheckoutRow) => Promise<void>): Promise<void> => {
    for (const row of rows) {
      await work(row).catch((error: unknown) => log.warn({ checkout: row.id, reason: messageOf(error) }, `${what} failed`))
    }
  }

  const expire = async (): Promise<void> => {
    for (;;) {
      const overdue = await store.listOverdue(nowText(), batch)
      for (const { id } of overdue) await store.end(id, 'expired', nowText())
      if (overdue.length < batch) return
    }
  }

  const closePages = async (name: string, { close }: PaymentPages): Promise<void> => {
    const since = addMinutes(clock.now(), -pageMinutes).toISOString()
    const lostSince = addMinutes(clock.now(), -lostPageMinutes).toISOString()
    const rows = await store.listPagesToClose(name, since, batch)
    const isGivenUp = ({ page_reference, expires_at }: CheckoutRow) => page_reference === null && expires_at < lostSince
    await forEach(rows, 'closing a payment page', (row) => (isGivenUp(row) ? store.markPageClosed(row.id, nowText()) : close(row)))
  }

  const stopSubscriptions = async (at: PaymentProvider): Promise<void> =>
    forEach(await store.listSubscriptionsToStop(at.name, batch), 'ending a subscription', async ({ id, subscription }) => {
      if (subscription === null) return
      await at.endSubscription(subscription)
      await store.markSubscriptionStopped(id, nowText())
    })

  let underWay: Promise<void> | null = null
  const pass = async (): Promise<void> => {
    await expire()
    if (provider === null || pages === null) return
    await closePages(provider.name, pages)
    await stopSubscriptions(provider)
  }

  return {
    expire,

    /** One pass. Whoever asks during one waits for it. */
    sweep: (): Promise<void> => {
      underWay ??= pass().finally(() => {
        underWay = null
      })
      return underWay
    },
  }
}
