// Prices as people read them.

/** `amount` is in the smallest unit of the currency, which is not a hundredth of every one. */
export const formatMoney = (amount: number, currency: string): string => {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: currency.toUpperCase() })
  const { maximumFractionDigits: digits = 2 } = format.resolvedOptions()
  return format.format(amount / 10 ** digits)
}

export const formatPrice = ({ amount, currency, interval }: { amount: number; currency: string; interval?: string }): string =>
  `${formatMoney(amount, currency)}${interval === 'month' ? ' a month' : ''}`
