// Compares the store with itself, and with the payment provider. Changes nothing.

import type { CheckoutRow } from '../store/checkouts.ts'
import type { Books, SettlementStore } from '../store/settlements.ts'
import type { Difference } from './difference.ts'
import type { Offers } from './offers.ts'
import { isOf, saleOf } from './payment-events.ts'
import { allPaymentsOf, type Reason } from './payments-of-events.ts'
import { type Known, providerDifferences } from './provider-differences.ts'
import type { PaymentEvent, PaymentProvider } from './providers/provider.ts'
import { type Settlement, settle } from './settle.ts'
import { eventOf } from './stored-events.ts'

export interface ReconciliationDeps {
  readonly store: SettlementStore
  readonly offers: Offers
  readonly provider: PaymentProvider | null
}

/** A plan that an account has, and goes on to pay for if it is paid by the month. */
interface Bought {
  readonly account: string
  readonly plan: string
  readonly checkoutId: string
}

const batch = 500

const problemTexts: Readonly<Record<Reason, string>> = {
  wrong_amount: 'has another amount than agreed: it gives nothing, refund it',
  wrong_currency: 'is in another currency than agreed: it gives nothing, refund it',
  wrong_offer: 'is for another offer than that of the checkout: it gives nothing, refund it',
  wrong_mode: 'is a test where real money is expected, or the other way round: it gives nothing',
  paid_again: 'is a second payment of the same checkout: refund it',
  not_begun: 'renews a subscription whose first payment is not as agreed: it gives nothing, refund it',
  none_left: 'came when all of the limited number were sold: it gives nothing, refund it',
}

/** What the rows of a checkout say, and what its events say. */
const comparable = ({ checkout, entitlement, credits }: Books, settled: Settlement) => {
  const [starts, ends] = entitlement === null ? [null, null] : [entitlement.starts_at, entitlement.ends_at]
  const holdIsRight = checkout.status === 'open' || checkout.hold !== 'held' || settled.wantsHold
  return [
    ['completion', checkout.status === 'completed', settled.completed],
    ['payment status', checkout.payment_status, settled.paymentStatus],
    ['entitlement', entitlement !== null, settled.entitlement !== null],
    ['start of the entitlement', starts, settled.entitlement?.startsAt ?? null],
    ['end of the entitlement', ends, settled.entitlement?.endsAt ?? null],
    ['account of the entitlement', entitlement === null ? null : entitlement.account_id, entitlement === null ? null : checkout.account_id],
    ['credits in the ledger', credits, settled.credits],
    ['subscription', checkout.subscription, settled.subscription],
    ['held piece of a limited number', true, holdIsRight],
  ] as const
}

/** Payments that came after the account was deleted, and still have money in them. */
const paidToNobody = ({ history }: Books, events: readonly PaymentEvent[]): string[] => {
  const deleted = history.findIndex(({ event }) => event === 'account_deleted')
  const late = new Set(deleted === -1 ? [] : history.slice(deleted).map(({ event_id }) => event_id))
  return allPaymentsOf(events).flatMap(({ payment, eventId, takenBack }) => (late.has(eventId) && !takenBack ? [payment] : []))
}

/** A rehearsal in the store of an installation that takes real money. */
const paidByTest = (checkout: CheckoutRow, { entitlement, credits }: Settlement): Difference[] => {
  if (checkout.live === 1 || (entitlement === null && credits === 0)) return []
  const text = `the checkout was paid in test mode, and gives ${checkout.offer_id} all the same: refund it in test mode`
  return [{ checkoutId: checkout.id, kind: 'paid_by_test', reference: null, text }]
}

const inStore = (books: Books, events: readonly PaymentEvent[], settled: Settlement): Difference[] => {
  const about = { checkoutId: books.checkout.id }
  return [
    ...comparable(books, settled)
      .filter(([, stored, computed]) => stored !== computed)
      .map(([what, stored, computed]) => ({
        ...about,
        kind: 'not_settled',
        reference: null,
        text: `the ${what} is stored as ${stored}, but the events say ${computed}`,
      })),
    ...settled.problems.map(({ payment, reason }) => ({
      ...about,
      kind: reason,
      reference: payment,
      text: `payment ${payment} ${problemTexts[reason]}`,
    })),
    ...paidToNobody(books, events).map((payment) => ({
      ...about,
      kind: 'account_deleted',
      reference: payment,
      text: `payment ${payment} came after the account was deleted: refund it`,
    })),
  ]
}

export const createReconciliation = ({ store, offers, provider }: ReconciliationDeps) => {
  const allBooks = async function* (): AsyncGenerator<Books> {
    let after = ''
    for (;;) {
      const ids = await store.listIds(after, batch)
      for (const id of ids) {
        const books = await store.books(id)
        if (books !== null) yield books
      }
      const last = ids.at(-1)
      if (last === undefined) return
      after = last
    }
  }

  const oversold = async (): Promise<Difference[]> => {
    const counts = await Promise.all(offers.limited().map(async ({ id, limit }) => ({ id, limit, held: await store.countHeld(id) })))
    return counts
      .filter(({ held, limit }) => held > limit)
      .map(({ id, limit, held }) => ({ kind: 'oversold', checkoutId: null, reference: id, text: `${held} of ${limit} ${id} are held` }))
  }

  const unlinked = async (): Promise<Difference[]> =>
    (await store.listUnlinked()).map(({ id, kind, provider: name }) => ({
      kind: 'unlinked_event',
      checkoutId: null,
      reference: id,
      text: `the ${kind} event ${id} of ${name} belongs to no checkout here`,
    }))

  /** Plans that an account pays for more than once. */
  const boughtTwice = (all: readonly Bought[]): Difference[] => {
    const groups = Map.groupBy(all, ({ account, plan }) => `${account} ${plan}`)
    return [...groups.values()].flatMap((group) =>
      group.slice(1).map(({ checkoutId, plan }) => ({
        kind: 'bought_twice',
        checkoutId,
        reference: null,
        text: `the account of the checkout ${checkoutId} has ${plan} by another checkout, too: refund one, and end its subscription`,
      })),
    )
  }

  return {
    check: async (): Promise<Difference[]> => {
      const differences: Difference[] = []
      const known: Known[] = []
      const bought: Bought[] = []
      for await (const books of allBooks()) {
        const events = books.events.map(eventOf)
        const settled = settle(saleOf(books.checkout), events)
        differences.push(...inStore(books, events, settled))
        const { checkout } = books
        if (checkout.account_id !== null && settled.entitlement !== null && !settled.subscriptionEnded)
          bought.push({ account: checkout.account_id, plan: checkout.offer_id, checkoutId: checkout.id })
        if (provider?.live === true) differences.push(...paidByTest(checkout, settled))
        if (provider !== null && isOf(provider, checkout)) known.push({ checkout, settled, events })
      }
      differences.push(...boughtTwice(bought), ...(await oversold()), ...(await unlinked()))
      if (provider !== null) differences.push(...(await providerDifferences(provider, known)))
      return differences
    },
  }
}
