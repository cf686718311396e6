import { describe, expect, it } from 'vitest'
import type { CheckoutSession } from '../../../src/contract/checkout.ts'
import { onwardsFrom, purchaseStateOf, wasDeclined } from './purchase-state.ts'

const checkout = (more: Partial<CheckoutSession> = {}): CheckoutSession => ({
  ...{ id: 'abc', status: 'open', name: 'Pro', interval: 'month', amount: 2900, currency: 'usd', plan_id: 'pro_monthly' },
  ...{
    payment_url: 'http://localhost/checkout/abc',
    continue_url: 'http://localhost/checkout/abc',
    payment_status: 'unpaid',
    messages: [],
  },
  ...{ created_at: '2026-01-02T03:04:05.000Z', expires_at: '2026-01-02T03:34:05.000Z' },
  ...more,
})

describe('the state of a purchase', () => {
  it.each([
    ['open', {}, false],
    ['settling', {}, true],
    ['settling', { status: 'expired' }, true],
    ['expired', { status: 'expired' }, false],
    ['cancelled', { status: 'cancelled' }, false],
    ['paid', { status: 'completed', payment_status: 'paid' }, true],
    ['refunded', { status: 'completed', payment_status: 'refunded' }, false],
    ['disputed', { status: 'completed', payment_status: 'disputed' }, true],
  ] as const)('is %s', (expected, more, hasReturned) => {
    expect(purchaseStateOf(checkout(more), hasReturned)).toBe(expected)
  })

  it('leads on to where the program wants it', () => {
    const one = checkout({ success_url: 'https://shop.example/yes', cancel_url: 'https://shop.example/no' })
    expect(['paid', 'cancelled', 'expired', 'open', 'refunded'].map((state) => onwardsFrom(one, state as 'paid'))).toEqual([
      ...['https://shop.example/yes', 'https://shop.example/no', 'https://shop.example/no', undefined, undefined],
    ])
  })

  it('tells that a payment was declined, unless something happened since', () => {
    const event = (name: 'created' | 'payment_failed' | 'paid') => ({
      ...{ event: name, status: 'open' as const, payment_status: 'unpaid' as const, at: '2026-01-02T03:04:05.000Z' },
    })
    expect(wasDeclined({ items: [event('created'), event('payment_failed')] })).toBe(true)
    expect(wasDeclined({ items: [event('payment_failed'), event('paid')] })).toBe(false)
    expect(wasDeclined({ items: [] })).toBe(false)
  })
})
