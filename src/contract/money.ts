// Prices as people read them.

/** The smallest unit that payment providers count in is a hundredth of most currencies. These have none, and those have a thousandth. */
const withoutFraction = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '))
const inThousandths = new Set('BHD JOD KWD OMR TND'.split(' '))

/** `amount` is in the smallest unit of the currency. */
export const formatMoney = (amount: number, currency: string): string => {
  const code = currency.toUpperCase()
  const digits = withoutFraction.has(code) ? 0 : inThousandths.has(code) ? 3 : 2
  const options = { style: 'currency', currency: code, minimumFractionDigits: digits, maximumFractionDigits: digits } as const
  return new Intl.NumberFormat('en', options).format(amount / 10 ** digits)
}

export const formatPrice = ({ amount, currency, interval }: { amount: number; currency: string; interval?: string }): string =>
  `${formatMoney(amount, currency)}${interval === 'month' ? ' a month' : ''}`
