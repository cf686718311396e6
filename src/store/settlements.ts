// Events of payment providers. Storing an event, linking it to its checkout and everything that follows from it are one transaction.

import type { Kysely, Selectable } from 'kysely'
import { addHistory, type CheckoutHistoryRow, listHistory } from './checkout-history.ts'
import type { CheckoutRow, CommerceLocks } from './checkouts.ts'
import type { PaymentEventTable } from './commerce-tables.ts'
import { balanceCredits, creditsGiven } from './credits.ts'
import { type EntitlementRow, replaceEntitlement } from './entitlements.ts'
import { countHeld, isOneLeft } from './holds.ts'
import { endOpen, listOpenOfPlan } from './open-checkouts.ts'
import { type LinkedEvent, linkEvent } from './payment-event-links.ts'
import type { Tables } from './tables.ts'

export type PaymentEventRow = Selectable<PaymentEventTable>

/** What follows from all events of a checkout. */
export interface Outcome {
  readonly completed: boolean
  readonly payment_status: CheckoutRow['payment_status']
  /** Whether it needs one of a limited number. */
  readonly wantsHold: boolean
  readonly entitlement: Pick<EntitlementRow, 'starts_at' | 'ends_at'> | null
  readonly credits: number
  readonly customer: string | null
  readonly subscription: string | null
}

export interface Settling {
  /** A pure function of its arguments. */
  readonly decide: (checkout: CheckoutRow, events: readonly PaymentEventRow[]) => Outcome
  /** How many of an offer are sold in all; null for as many as are wanted. */
  readonly limitOf: (offerId: string) => number | null
}

/** All that the store has on a checkout, as it is at one moment. */
export interface Books {
  readonly checkout: CheckoutRow
  readonly events: readonly PaymentEventRow[]
  readonly entitlement: EntitlementRow | null
  readonly credits: number
  readonly history: readonly CheckoutHistoryRow[]
}

const eventsOf = (on: Kysely<Tables>, checkoutId: string): Promise<PaymentEventRow[]> =>
  on.selectFrom('payment_event').selectAll().where('checkout_id', '=', checkoutId).orderBy('id').execute()

const holdAfter = async (transaction: Kysely<Tables>, checkout: CheckoutRow, { completed, wantsHold }: Outcome, settling: Settling) => {
  const { hold, offer_id } = checkout
  if (hold === 'held' && completed && !wantsHold) return 'released'
  if (hold !== 'released' || !wantsHold) return hold
  const limit = settling.limitOf(offer_id)
  return limit === null || (await isOneLeft(transaction, offer_id, limit)) ? 'held' : 'lost'
}

/** Writes the difference between what is stored and what follows from the events. */
const write = async (
  transaction: Kysely<Tables>,
  before: CheckoutRow,
  settling: Settling,
  event: PaymentEventRow,
  linked: readonly LinkedEvent[],
  endOthers: (bought: CheckoutRow) => Promise<void>,
) => {
  const now = event.received_at
  const events = await eventsOf(transaction, before.id)
  // What was bought is not to be paid on another page, too; and what such a page held is for what was bought.
  if (before.status !== 'completed' && settling.decide(before, events).completed) await endOthers(before)
  const hold = await holdAfter(transaction, before, settling.decide(before, events), settling)
  const outcome = settling.decide({ ...before, hold }, events)
  const change = {
    hold,
    status: outcome.completed ? ('completed' as const) : before.status,
    payment_status: outcome.payment_status,
    customer: before.account_id === null ? null : outcome.customer,
    subscription: outcome.subscription,
  }
  const checkout: CheckoutRow = { ...before, ...change }
  await transaction.updateTable('checkout').set(change).where('id', '=', before.id).execute()
  const { account_id, offer_id: plan_id, provider: source } = checkout
  const given = outcome.entitlement
  await replaceEntitlement(
    transaction,
    checkout.id,
    given === null ? null : { checkout_id: checkout.id, account_id, plan_id, source, ...given, updated_at: now },
  )
  await balanceCredits(transaction, checkout, outcome.credits, `${event.provider} ${event.id}`, now)
  for (const { id, kind } of linked) await addHistory(transaction, checkout, { event: kind, event_id: id, at: now })
}

export const createSettlementStore = (db: Kysely<Tables>, locks: CommerceLocks) => {
  const findCheckout = async (on: Kysely<Tables>, id: string): Promise<CheckoutRow | null> =>
    (await on.selectFrom('checkout').selectAll().where('id', '=', id).executeTakeFirst()) ?? null

  const isKnown = async (on: Kysely<Tables>, { provider, id }: Pick<PaymentEventRow, 'provider' | 'id'>): Promise<boolean> =>
    (await on.selectFrom('payment_event').select('id').where('provider', '=', provider).where('id', '=', id).executeTakeFirst()) !==
    undefined

  /** The checkout, locked. Its account is locked first, because whoever deletes an account takes it before the checkouts. */
  const lockCheckout = async (transaction: Kysely<Tables>, id: string): Promise<CheckoutRow | null> => {
    const accountId = (await findCheckout(transaction, id))?.account_id ?? null
    if (accountId !== null) await locks.accountKept(transaction, accountId)
    await locks.checkout(transaction, id)
    return findCheckout(transaction, id)
  }

  /** Ends open checkouts of the same account and plan. */
  const endOthers = async (transaction: Kysely<Tables>, bought: CheckoutRow, now: string): Promise<void> => {
    for (const { id } of await listOpenOfPlan(transaction, bought, now)) {
      await locks.checkout(transaction, id)
      const locked = await findCheckout(transaction, id)
      if (locked?.status === 'open') await endOpen(transaction, locked, 'cancelled', now)
    }
  }

  return {
    /** `event.checkout_id` is what the event says; it is stored only if there is such a checkout of this provider. */
    storeOnce: async (event: PaymentEventRow, settling: Settling): Promise<'applied' | 'duplicate'> => {
      // Most repeated deliveries come long after the first one: they need no lock.
      if (await isKnown(db, event)) return 'duplicate'
      return db.transaction().execute(async (transaction) => {
        await locks.payments(transaction)
        if (await isKnown(transaction, event)) return 'duplicate'
        const known = await linkEvent(transaction, event)
        if (known === null) return 'applied'
        const { checkoutId, linked } = known
        const checkout = await lockCheckout(transaction, checkoutId)
        if (checkout === null) throw new Error('the checkout of an event is gone')
        if (checkout.account_id === null) {
          await transaction.updateTable('payment_event').set({ customer: null }).where('checkout_id', '=', checkoutId).execute()
        }
        await write(transaction, checkout, settling, event, linked, (bought) => endOthers(transaction, bought, event.received_at))
        return 'applied'
      })
    },

    books: (id: string): Promise<Books | null> =>
      db.transaction().execute(async (transaction) => {
        await locks.checkout(transaction, id)
        const checkout = await findCheckout(transaction, id)
        if (checkout === null) return null
        const entitlement = await transaction.selectFrom('entitlement').selectAll().where('checkout_id', '=', id).executeTakeFirst()
        return {
          checkout,
          events: await eventsOf(transaction, id),
          entitlement: entitlement ?? null,
          credits: await creditsGiven(transaction, id),
          history: await listHistory(transaction, id),
        }
      }),

    /** Ids of checkouts, in their order, after the given one. */
    listIds: async (after: string, limit: number): Promise<string[]> => {
      const rows = await db.selectFrom('checkout').select('id').where('id', '>', after).orderBy('id').limit(limit).execute()
      return rows.map(({ id }) => id)
    },

    /** Events that belong to no checkout here. */
    listUnlinked: (): Promise<PaymentEventRow[]> =>
      db.selectFrom('payment_event').selectAll().where('checkout_id', 'is', null).orderBy('received_at').orderBy('id').execute(),

    countHeld: (offerId: string): Promise<number> => countHeld(db, offerId),
  }
}

export type SettlementStore = ReturnType<typeof createSettlementStore>
