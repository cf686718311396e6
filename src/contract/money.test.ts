import { expect, it } from 'vitest'
import { formatMoney, formatPrice } from './money.ts'

it('knows how many digits a currency has', () => {
  expect([formatMoney(2900, 'usd'), formatMoney(5, 'eur'), formatMoney(1500, 'jpy'), formatMoney(1234, 'kwd')]).toEqual([
    '$29.00',
    '€0.05',
    '¥1,500',
    expect.stringMatching(/1\.234$/),
  ])
  // Providers count these in hundredths, though nobody pays with them.
  expect([formatMoney(150_000, 'isk'), formatMoney(99_900, 'rsd')]).toEqual([
    expect.stringMatching(/1,500\.00$/),
    expect.stringMatching(/999\.00$/),
  ])
})

it('tells what is paid every month', () => {
  expect(formatPrice({ amount: 2900, currency: 'usd', interval: 'month' })).toBe('$29.00 a month')
  expect(formatPrice({ amount: 24900, currency: 'usd', interval: 'once' })).toBe('$249.00')
})
