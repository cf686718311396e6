// Takes in the events of the payment provider: verified, stored once, and settled together with all others of their checkout.

import type { Clock } from '../clock.ts'
import { LabError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { CheckoutRow } from '../store/checkouts.ts'
import type { Outcome, PaymentEventRow, SettlementStore } from '../store/settlements.ts'
import type { Offers } from './offers.ts'
import type { Sale } from './payments-of-events.ts'
import type { PaymentProvider } from './providers/provider.ts'
import { settle } from './settle.ts'
import { eventOf, rowOf } from './stored-events.ts'

export interface PaymentEventsDeps {
  readonly store: SettlementStore
  readonly provider: PaymentProvider | null
  readonly offers: Offers
  readonly clock: Clock
  readonly log: Log
}

/** Whether it is paid at this provider, in its mode: real money or a test. */
export const isOf = ({ name, live }: PaymentProvider, checkout: CheckoutRow): boolean =>
  checkout.provider === name && checkout.live === Number(live)

export const saleOf = ({ id, live, offer_id, amount, currency, interval, credits, hold }: CheckoutRow): Sale => ({
  ...{ id, live: live === 1, offerId: offer_id, amount, currency, interval, credits, hold },
})

/** What is to be stored of a checkout with these events. */
export const outcomeOf = (checkout: CheckoutRow, events: readonly PaymentEventRow[]): Outcome => {
  const { paymentStatus, entitlement, completed, wantsHold, credits, customer, subscription } = settle(
    saleOf(checkout),
    events.map(eventOf),
  )
  return {
    ...{ completed, wantsHold, credits, customer, subscription },
    payment_status: paymentStatus,
    entitlement: entitlement === null ? null : { starts_at: entitlement.startsAt, ends_at: entitlement.endsAt },
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Takes in an event that was verified. Throws what the provider throws. */
export type Take = () => Promise<'applied' | 'duplicate' | 'ignored'>

export const createPaymentEvents = ({ store, provider, offers, clock, log }: PaymentEventsDeps) => ({
  /**
   * Verifies an event, which costs little, and returns what takes it in. Throws not_found for another provider than the configured one,
   * and invalid_signature.
   */
  verify: (name: string, body: Buffer, headers: Headers): Take => {
    if (provider === null || provider.name !== name) throw new LabError('not_found', 'there is no such payment provider here')
    const now = clock.now()
    const read = provider.verify(body, headers, now)
    return async () => {
      const event = await read()
      if (event.kind === 'ignored') return 'ignored'
      const outcome = await store.storeOnce(rowOf(provider.name, event, now.toISOString()), { decide: outcomeOf, limitOf: offers.limitOf })
      // Repeated deliveries are many, and say nothing new.
      if (outcome === 'applied')
        log.info({ provider: name, event: event.id, kind: event.kind }, 'received an event of the payment provider')
      return outcome
    }
  },
})
