// Checkouts as their account sees them. Nothing here makes one paid: that follows from events of the payment provider alone.

import type { Account } from '../accounts/caller.ts'
import { addMinutes, type Clock } from '../clock.ts'
import type { Limits } from '../configured-limits.ts'
import type { CheckoutHistory, CheckoutSession, CheckoutSessionList, CheckoutSessionQuery } from '../contract/checkout.ts'
import type { Cursors } from '../cursor.ts'
import { LabError } from '../errors.ts'
import { createId } from '../ids.ts'
import type { CheckoutRow, CheckoutStore } from '../store/checkouts.ts'
import type { createRequireNotBought } from './already-bought.ts'
import type { Offer, Offers } from './offers.ts'
import { isOf } from './payment-events.ts'
import type { ReturnPages } from './payment-pages.ts'
import { creditsOff, paymentsOff } from './payments-off.ts'
import type { ProviderOperations } from './provider-operations.ts'
import type { PaymentProvider } from './providers/provider.ts'

export interface CheckoutsDeps {
  readonly store: CheckoutStore
  readonly offers: Offers
  readonly requireNotBought: ReturnType<typeof createRequireNotBought>
  /** Null where nothing can be bought. */
  readonly at: ProviderOperations | null
  readonly clock: Clock
  readonly limits: Pick<Limits, 'checkoutMinutes' | 'accountCheckouts'>
  readonly cursors: Cursors
  /** Whether credits buy anything here. */
  readonly sellsCredits: boolean
  /** Expires what is overdue. */
  readonly expire: () => Promise<void>
}

/** A checkout without the addresses of its pages, which depend on the host that was asked. */
export type Checkout = Omit<CheckoutSession, 'payment_url' | 'continue_url'>

export type CheckoutPage = Omit<CheckoutSessionList, 'items'> & { readonly items: readonly Checkout[] }

interface ReturnAddresses {
  readonly success_url?: string | undefined
  readonly cancel_url?: string | undefined
}
export type CheckoutRequest = ReturnAddresses & ({ readonly plan_id: string } | { readonly pack_id: string })

const messages: Readonly<Record<CheckoutRow['status'], string>> = {
  open: 'This session cannot charge and cannot confirm a payment: a signed-in person pays at payment_url, and the payment provider confirms it.',
  completed: 'The payment provider has confirmed the payment.',
  cancelled: 'It was cancelled before it was paid, or replaced by a newer one for the same plan.',
  expired: 'It was not paid in time.',
}

const notOpen = (status: string) =>
  new LabError('checkout_not_open', `the checkout session is ${status}`, { hint: 'create another one if it was not paid' })

export const createCheckouts = ({ store, offers, requireNotBought, at, clock, limits, cursors, sellsCredits, expire }: CheckoutsDeps) => {
  const nowText = () => clock.now().toISOString()

  const show = (row: CheckoutRow): Checkout => {
    const { id, status, name, interval, amount, currency, payment_status, created_at, expires_at, success_url, cancel_url } = row
    return {
      ...{ id, status, name, interval, amount, currency },
      ...(row.offer_kind === 'plan' ? { plan_id: row.offer_id } : { pack_id: row.offer_id }),
      ...{ payment_status, created_at, expires_at },
      ...(success_url === null ? {} : { success_url }),
      ...(cancel_url === null ? {} : { cancel_url }),
      messages: [{ type: 'info', text: messages[status] }],
    }
  }

  /** As it is now. Throws not_found unless it is the caller's own. */
  const own = async ({ accountId }: Account, id: string): Promise<CheckoutRow> => {
    const found = await store.find(id)
    const row = found?.status === 'open' && found.expires_at <= nowText() ? await store.end(id, 'expired', nowText()) : found
    if (row !== null && row.account_id === accountId) return row
    throw new LabError('not_found', 'there is no such checkout session', { hint: 'use the id of one that you created' })
  }

  const newRow = (accountId: string, offer: Offer, { success_url, cancel_url }: ReturnAddresses, by: PaymentProvider): CheckoutRow => {
    const now = clock.now()
    return {
      id: createId(),
      account_id: accountId,
      account_deleted_at: null,
      provider: by.name,
      live: Number(by.live),
      ...{ offer_kind: offer.kind, offer_id: offer.id, name: offer.name, amount: offer.amount, currency: offer.currency },
      ...{ interval: offer.interval, credits: offer.credits, hold: offer.limit === null ? 'none' : 'held' },
      ...{ status: 'open', payment_status: 'unpaid', success_url: success_url ?? null, cancel_url: cancel_url ?? null },
      ...{ page_order: null, page_reference: null, page_url: null, page_closed_at: null },
      ...{ customer: null, subscription: null, subscription_stopped_at: null, request_id: null },
      created_at: now.toISOString(),
      expires_at: addMinutes(now, limits.checkoutMinutes).toISOString(),
    }
  }

  const insert = async (row: CheckoutRow, { limit }: Offer) => {
    const room = { own: limits.accountCheckouts, limit }
    const outcome = await store.insert(row, room)
    if (outcome !== 'sold_out') return outcome
    await expire()
    return store.insert(row, room)
  }

  return {
    create: async (caller: Account, request: CheckoutRequest, requestId?: string): Promise<Checkout> => {
      if (at === null) throw paymentsOff()
      const offer = offers.find(request)
      if (offer.kind === 'pack' && !sellsCredits) throw creditsOff()
      if (offer.kind === 'plan') await requireNotBought(caller.accountId, offer.id)
      const row = { ...newRow(caller.accountId, offer, request, at.provider), request_id: requestId ?? null }
      const outcome = await insert(row, offer)
      if (outcome === 'inserted') return show(row)
      if (outcome === 'sold_out') {
        throw new LabError('sold_out', `${offer.id} is sold out`, { hint: 'try again later, when open sessions may have expired' })
      }
      throw new LabError('checkout_limit_reached', `an account has at most ${limits.accountCheckouts} open checkout sessions`, {
        hint: 'GET /checkout_sessions lists them: cancel one, or let one expire',
      })
    },

    findCreated: async (requestId: string): Promise<Checkout | null> => {
      const row = await store.findByRequest(requestId)
      return row === null ? null : show(row)
    },

    /** Newest first. */
    page: async ({ accountId }: Account, { limit, cursor }: CheckoutSessionQuery): Promise<CheckoutPage> => {
      const scope = ['checkouts', accountId] as const
      const after = cursor === undefined ? undefined : (cursors.read(scope, cursor) as [string, string])
      const { count, rows } = await store.page(accountId, { limit: limit + 1, ...(after === undefined ? {} : { after }) })
      const { items, ...page } = cursors.page(scope, rows, limit, ({ created_at, id }) => [created_at, id])
      const now = nowText()
      const asOfNow = (row: CheckoutRow) => (row.status === 'open' && row.expires_at <= now ? { ...row, status: 'expired' as const } : row)
      return { items: items.map((row) => show(asOfNow(row))), ...page, total_count: count }
    },

    read: async (caller: Account, id: string): Promise<Checkout> => show(await own(caller, id)),

    complete: async (caller: Account, id: string): Promise<Checkout> => {
      const row = await own(caller, id)
      if (row.status === 'completed') return show(row)
      if (row.status !== 'open') throw notOpen(row.status)
      throw new LabError('payment_not_confirmed', 'the payment provider has not confirmed the payment', {
        hint: 'pay at payment_url, then read the session until payment_status is paid',
      })
    },

    cancel: async (caller: Account, id: string): Promise<Checkout> => {
      await own(caller, id)
      const row = await store.end(id, 'cancelled', nowText())
      if (row?.status === 'cancelled') return show(row)
      throw notOpen(row?.status ?? 'gone')
    },

    history: async (caller: Account, id: string): Promise<CheckoutHistory> => {
      await own(caller, id)
      const rows = await store.history(id)
      return { items: rows.map(({ event, status, payment_status, at }) => ({ event, status, payment_status, at })) }
    },

    payment: async (caller: Account, id: string, returns: ReturnPages): Promise<{ readonly url: string }> => {
      const row = await own(caller, id)
      if (at === null) throw paymentsOff()
      if (row.status !== 'open') throw notOpen(row.status)
      if (!isOf(at.provider, row)) throw notOpen('of another payment provider')
      if (row.offer_kind === 'plan') await requireNotBought(caller.accountId, row.offer_id)
      const url = await at.pages.open(row, caller.accountId, returns)
      if (url === null) throw notOpen('no longer open')
      return { url }
    },
  }
}
