import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Sale } from './payments-of-events.ts'
import type { PaymentEvent } from './providers/provider.ts'
import { settle } from './settle.ts'

const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString()
const pack: Sale = { id: 'c', live: true, offerId: 'o', amount: 900, currency: 'usd', interval: 'once', credits: 10, hold: 'none' }
const pass: Sale = { ...pack, credits: 0, hold: 'held' }
const monthly: Sale = { ...pack, credits: 0, interval: 'month' }

let count = 0
const base = (at: number) => ({ id: `e${count++}`, createdAt: day(at), live: true })
const money = { amount: 900, currency: 'usd' }
const paid = (at: number, extra: Partial<Extract<PaymentEvent, { kind: 'paid' }>> = {}): PaymentEvent => ({
  ...{ ...base(at), kind: 'paid', ...money, payment: 'p1', customer: 'cus', subscription: null, periodEnd: null },
  ...{ checkoutId: 'c', offerId: 'o', ...extra },
})
const subscribed = (at: number) => paid(at, { subscription: 's', periodEnd: day(at + 30) })
const renewed = (at: number, payment: string, extra: Partial<Extract<PaymentEvent, { kind: 'renewed' }>> = {}): PaymentEvent => ({
  ...{ ...base(at), kind: 'renewed', ...money, payment, customer: 'cus', subscription: 's', periodEnd: day(at + 30), ...extra },
})
const refunded = (at: number, sum: number, payment = 'p1'): PaymentEvent => ({
  ...{ ...base(at), kind: 'refunded', payment, refunded: sum, currency: 'usd' },
})
const opened = (at: number, dispute = 'd', payment = 'p1'): PaymentEvent => ({ ...base(at), kind: 'dispute_opened', payment, dispute })
const closed = (at: number, outcome: 'won' | 'lost', dispute = 'd', payment = 'p1'): PaymentEvent => ({
  ...{ ...base(at), kind: 'dispute_closed', payment, dispute, outcome },
})
const ended = (at: number): PaymentEvent => ({ ...base(at), kind: 'subscription_ended', subscription: 's', endedAt: day(at) })

describe('what follows from events', () => {
  it('nothing, without a payment', () => {
    const nothing = { completed: false, paymentStatus: 'unpaid', entitlement: null, credits: 0, wantsHold: false, problems: [] }
    expect(settle(pack, [])).toMatchObject(nothing)
    expect(settle(pack, [{ ...base(0), kind: 'payment_failed', checkoutId: 'c' }, refunded(1, 900), closed(1, 'lost')])).toMatchObject(
      nothing,
    )
    expect(settle(monthly, [renewed(0, 'p2'), ended(1)])).toMatchObject({ completed: false, problems: [{ reason: 'not_begun' }] })
  })

  it.each([
    ['wrong_amount', { amount: 899 }],
    ['wrong_amount', { amount: 901 }],
    ['wrong_currency', { currency: 'eur' }],
    ['wrong_offer', { offerId: 'other' }],
    ['wrong_mode', { live: false }],
  ])('a payment with %s gives nothing, and is a problem until it is refunded', (reason, extra) => {
    const event = paid(0, extra)
    expect(settle(pack, [event])).toMatchObject({
      completed: false,
      paymentStatus: 'unpaid',
      credits: 0,
      problems: [{ reason, payment: 'p1' }],
    })
    const refund = { ...refunded(1, 901), live: event.live, currency: 'currency' in event ? event.currency : '' } as PaymentEvent
    expect(settle(pack, [event, refund])).toMatchObject({ completed: false, problems: [] })
    expect(settle(pack, [event, paid(1, { payment: 'p2' })])).toMatchObject({ completed: true, credits: 10 })
  })

  it('a pack gives its credits once; a second payment is a problem, and counts when the first is refunded', () => {
    const [first, second] = [paid(0), paid(1, { payment: 'p2' })]
    expect(settle(pack, [first, second])).toMatchObject({ credits: 10, problems: [{ reason: 'paid_again', payment: 'p2' }] })
    expect(settle(pack, [first, second, refunded(2, 900, 'p2')])).toMatchObject({ credits: 10, paymentStatus: 'paid', problems: [] })
    expect(settle(pack, [first, second, refunded(2, 900)])).toMatchObject({ credits: 10, paymentStatus: 'paid', problems: [] })
    expect(settle(pack, [first, paid(1)])).toMatchObject({ credits: 10, problems: [] })
  })

  it('a refund takes back credits in proportion; the sum that the provider tells counts', () => {
    expect(settle(pack, [paid(0), refunded(1, 1)])).toMatchObject({ credits: 9, paymentStatus: 'paid' })
    expect(settle(pack, [paid(0), refunded(1, 90), refunded(2, 450)])).toMatchObject({ credits: 5, paymentStatus: 'paid' })
    expect(settle(pack, [paid(0), refunded(1, 450), refunded(2, 900)])).toMatchObject({
      credits: 0,
      paymentStatus: 'refunded',
      completed: true,
    })
    expect(settle(pack, [paid(0), refunded(1, 5000)])).toMatchObject({ credits: 0, paymentStatus: 'refunded' })
    expect(settle(pack, [paid(0), { ...refunded(1, 900), currency: 'eur' } as PaymentEvent])).toMatchObject({ credits: 10 })
    expect(settle({ ...pack, amount: 0 }, [paid(0, { amount: 0 })])).toMatchObject({ credits: 10, paymentStatus: 'paid' })
  })

  it('an open dispute changes the status only; a lost one takes back, a won one does not', () => {
    expect(settle(pack, [paid(0), opened(1)])).toMatchObject({ credits: 10, paymentStatus: 'disputed' })
    expect(settle(pack, [paid(0), opened(1), closed(2, 'won')])).toMatchObject({ credits: 10, paymentStatus: 'paid' })
    expect(settle(pack, [paid(0), opened(1), closed(2, 'lost')])).toMatchObject({ credits: 0, paymentStatus: 'disputed' })
    expect(settle(pack, [paid(0), opened(1), closed(2, 'won'), opened(3, 'e')])).toMatchObject({ paymentStatus: 'disputed', credits: 10 })
  })

  it('a pass does not end, and needs one of the limited number as long as it is paid', () => {
    const entitlement = { startsAt: day(0), endsAt: null }
    expect(settle(pass, [paid(0)])).toMatchObject({ entitlement, wantsHold: true, problems: [] })
    expect(settle({ ...pass, hold: 'released' }, [paid(0)])).toMatchObject({ entitlement: null, wantsHold: true, problems: [] })
    expect(settle({ ...pass, hold: 'lost' }, [paid(0)])).toMatchObject({ entitlement: null, problems: [{ reason: 'none_left' }] })
    expect(settle({ ...pass, hold: 'lost' }, [paid(0), refunded(1, 900)])).toMatchObject({ wantsHold: false, problems: [] })
    expect(settle(pass, [paid(0), refunded(1, 300)])).toMatchObject({ entitlement, wantsHold: true })
  })

  it('a monthly plan lasts for the paid time and three days more, as long as it has not ended', () => {
    const last = (...events: PaymentEvent[]) => settle(monthly, events).entitlement?.endsAt
    expect(last(subscribed(0))).toBe(day(33))
    expect(last(paid(0))).toBe(day(34))
    expect(last(subscribed(0), renewed(30, 'p2'))).toBe(day(63))
    expect(last(subscribed(0), { ...base(30), kind: 'renewal_failed', subscription: 's' })).toBe(day(33))
    expect(last(subscribed(0), ended(10))).toBe(day(10))
    expect(last(subscribed(0), ended(32))).toBe(day(30))
    expect(last(subscribed(0), renewed(30, 'p2'), refunded(31, 900, 'p2'))).toBe(day(30))
    expect(settle(monthly, [subscribed(0), renewed(30, 'p2'), refunded(31, 900, 'p2')])).toMatchObject({ paymentStatus: 'paid' })
    expect(settle(monthly, [subscribed(0), refunded(1, 900)])).toMatchObject({ entitlement: null, paymentStatus: 'refunded' })
    expect(last(subscribed(0), renewed(30, 'p2', { amount: 1 }))).toBe(day(33))
    expect(last(subscribed(0), renewed(30, 'p2', { subscription: 'other' }))).toBe(day(33))
  })
})

const anyEvent = (index: number): fc.Arbitrary<PaymentEvent> => {
  const at = fc.integer({ min: 0, max: 5 })
  const payment = fc.constantFrom('p1', 'p2', 'p3')
  const amount = fc.constantFrom(900, 900, 900, 450)
  const live = fc.constantFrom(true, true, true, false)
  const named = { id: fc.constant(`r${index}`), createdAt: at.map(day), live }
  const told = { payment, amount, currency: fc.constantFrom('usd', 'usd', 'usd', 'eur'), customer: fc.constantFrom('c1', 'c2', null) }
  const periodEnd = fc.option(fc.integer({ min: 20, max: 60 }).map(day))
  const subscription = fc.constantFrom('s', 't')
  const dispute = fc.constantFrom('d1', 'd2')
  const kind = <Kind extends string>(name: Kind) => ({ kind: fc.constant(name) })
  return fc.oneof(
    fc.record({
      ...{ ...named, ...kind('paid'), ...told, periodEnd, subscription: fc.option(subscription) },
      ...{ checkoutId: fc.constant('c'), offerId: fc.constantFrom('o', 'o', 'o', 'x') },
    }),
    fc.record({ ...named, ...kind('renewed'), ...told, periodEnd, subscription }),
    fc.record({ ...named, ...kind('refunded'), payment, refunded: fc.constantFrom(90, 450, 900), currency: fc.constant('usd') }),
    fc.record({ ...named, ...kind('dispute_opened'), payment, dispute }),
    fc.record({ ...named, ...kind('dispute_closed'), payment, dispute, outcome: fc.constantFrom('won', 'lost') }),
    fc.record({ ...named, ...kind('subscription_ended'), subscription, endedAt: at.map(day) }),
    fc.record({ ...named, ...kind('payment_failed'), checkoutId: fc.constant('c') }),
    fc.record({ ...named, ...kind('renewal_failed'), subscription }),
  ) as fc.Arbitrary<PaymentEvent>
}

describe('sets of events', () => {
  const anyEvents = fc
    .integer({ min: 0, max: 10 })
    .chain((size) => fc.tuple(...Array.from({ length: size }, (_, index) => anyEvent(index))))
  const anySale = fc.constantFrom<Sale>(pack, pass, monthly, { ...pass, hold: 'released' }, { ...pass, hold: 'lost' })

  it('have the same result in any order and with any duplicates', () => {
    fc.assert(
      fc.property(
        anySale,
        anyEvents.chain((events) =>
          fc.tuple(
            fc.constant(events),
            fc.shuffledSubarray(events, { minLength: events.length }),
            events.length === 0 ? fc.constant([]) : fc.array(fc.constantFrom(...events)),
          ),
        ),
        (sale, [events, shuffled, again]) => {
          expect(settle(sale, [...shuffled, ...again])).toEqual(settle(sale, events))
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('never give anything without a payment as agreed, nor more than was agreed', () => {
    fc.assert(
      fc.property(anySale, anyEvents, (sale, events) => {
        const { completed, credits, entitlement, paymentStatus } = settle(sale, events)
        const good = events.some(
          (event) => event.kind === 'paid' && event.live && event.amount === 900 && event.currency === 'usd' && event.offerId === 'o',
        )
        expect(completed).toBe(good)
        expect(paymentStatus === 'unpaid').toBe(!good)
        expect(credits).toBeGreaterThanOrEqual(0)
        expect(credits).toBeLessThanOrEqual(good ? sale.credits : 0)
        if (!good || sale.credits > 0) expect(entitlement).toBeNull()
      }),
      { numRuns: 2000 },
    )
  })
})
