// What is done from time to time: expires checkouts, closes their pages at the provider, ends subscriptions that nobody has any more,
// forgets checkouts that were never paid.
// Each step may be repeated, also by several servers at once, and goes on where a crash has ended it.

import { addMinutes, type Clock } from '../clock.ts'
import { messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import type { CheckoutRow, CheckoutStore, Slice } from '../store/checkouts.ts'
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
/** How long a checkout is kept that was never paid. Some payments are confirmed after two weeks. */
const keptMinutes = 30 * 24 * 60

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

  /** Each pass takes the next part of a list, and begins again after its end, so that what always fails does not keep the rest waiting. */
  const inTurn = (list: (part: Slice) => Promise<readonly CheckoutRow[]>) => {
    let after = ''
    return async (): Promise<readonly CheckoutRow[]> => {
      const rows = await list({ after, limit: batch })
      after = rows.length < batch ? '' : (rows.at(-1)?.id ?? '')
      return rows
    }
  }

  const minutesAgo = (minutes: number) => addMinutes(clock.now(), -minutes).toISOString()
  const pagesToClose = inTurn((part) => store.listPagesToClose(provider?.name ?? '', minutesAgo(pageMinutes), part))
  const subscriptionsToStop = inTurn((part) => store.listSubscriptionsToStop(provider?.name ?? '', part))

  const closePages = async ({ close }: PaymentPages): Promise<void> => {
    const isGivenUp = ({ page_reference, expires_at }: CheckoutRow) => page_reference === null && expires_at < minutesAgo(lostPageMinutes)
    await forEach(await pagesToClose(), 'closing a payment page', (row) =>
      isGivenUp(row) ? store.markPageClosed(row.id, nowText()) : close(row),
    )
  }

  const stopSubscriptions = async (at: PaymentProvider): Promise<void> =>
    forEach(await subscriptionsToStop(), 'ending a subscription', async ({ id, subscription }) => {
      if (subscription === null) return
      await at.endSubscription(subscription)
      await store.markSubscriptionStopped(id, nowText())
    })

  let underWay: Promise<void> | null = null
  const pass = async (): Promise<void> => {
    await expire()
    await store.purge(minutesAgo(keptMinutes), batch)
    if (provider === null || pages === null) return
    await closePages(pages)
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
