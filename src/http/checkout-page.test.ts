import { describe, expect, it } from 'vitest'
import type { Checkout } from '../commerce/commerce.ts'
import { checkoutPage } from './checkout-page.ts'

const checkout = (more: Partial<Checkout> = {}): Checkout => ({
  ...{
    id: 'abc',
    status: 'open',
    name: 'Pro',
    interval: 'month',
    amount: 2900,
    currency: 'usd',
    plan_id: 'pro_monthly',
    payment_status: 'unpaid',
    messages: [],
  },
  ...{ created_at: '2026-01-02T03:04:05.000Z', expires_at: '2026-01-02T03:34:05.000Z' },
  ...more,
})
const usual = { wasDeclined: false, goesOn: null, isTestMode: false }
const show = (more: Partial<Checkout> = {}, returns = 0) => checkoutPage(checkout(more), { ...usual, returns })

describe('the page of a checkout', () => {
  it('tells name and price, and whether it is a test', () => {
    expect(show().body).toContain('<dd>$29.00 a month</dd>')
    expect(show({ name: '<Pro>', interval: 'once' }).body).toContain('<dd>&#60;Pro&#62;</dd><dt>Price</dt><dd>$29.00</dd>')
    expect(checkoutPage(checkout(), { ...usual, returns: 0, isTestMode: true }).body).toContain('no money moves')
  })

  it('tells that a payment was declined, unless another one may be under way, and that another plan goes on', () => {
    const declined = checkoutPage(checkout(), { ...usual, returns: 0, wasDeclined: true })
    expect([declined.title, declined.next, declined.body.includes('was declined')]).toEqual(['Checkout', undefined, true])
    const paidSince = checkoutPage(checkout(), { ...usual, returns: 1, wasDeclined: true })
    expect([paidSince.title, paidSince.body.includes('declined')]).toEqual(['Not confirmed yet', false])
    const beside = checkoutPage(checkout(), { ...usual, returns: 0, goesOn: '<b>Pro' })
    expect(beside.body).toContain('You pay for &#60;b&#62;Pro every month')
  })

  it.each([
    ['Checkout', {}],
    ['Cancelled', { status: 'cancelled' }],
    ['Expired', { status: 'expired' }],
    ['Paid', { status: 'completed', payment_status: 'paid' }],
    ['Refunded', { status: 'completed', payment_status: 'refunded' }],
    ['Disputed', { status: 'completed', payment_status: 'disputed' }],
  ] as const)('is headed %s', (title, more) => {
    const page = show(more)
    expect([page.title, page.next, page.body.includes('<form')]).toEqual([title, undefined, title === 'Checkout'])
  })

  it('waits for the confirmation after the return, for a while, and not once it is there', () => {
    expect(show({}, 1).next).toEqual({ seconds: 2, url: '/checkout/abc?returned=2' })
    expect(show({ status: 'expired' }, 1).title).toBe('Not confirmed yet')
    const last = show({}, 30)
    expect([last.next, last.body.includes('href="/checkout/abc?returned=31"')]).toEqual([undefined, true])
    expect(show({ status: 'completed', payment_status: 'paid' }, 7)).toMatchObject({ title: 'Paid' })
  })

  it('leads on by links only, which cannot leave their attribute', () => {
    const success_url = 'https://shop.example/?a=1&b="><script>alert(1)</script>'
    const { body, next } = show({ status: 'completed', payment_status: 'paid', success_url })
    expect(next).toBeUndefined()
    expect(body).toContain('Go on to shop.example')
    expect(body).not.toContain('<script')
    expect(show({ status: 'cancelled', cancel_url: 'https://shop.example/no' }).body).toContain('href="https://shop.example/no"')
  })
})
