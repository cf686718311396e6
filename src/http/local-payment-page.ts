// Pages of the local payment provider as HTML. They say clearly that no money moves.

import type { LocalProvider } from '../commerce/providers/local.ts'
import { formatMoney, formatPrice } from '../contract/money.ts'
import { pagePaths } from '../contract/page-paths.ts'
import { escapeHtml, type Page } from './html-page.ts'

export type LocalPayment = Awaited<ReturnType<LocalProvider['pages']['read']>>

export const localPaymentPath = (reference: string): string => `/local-payments/${reference}`

const note = '<p class="note">This page plays a payment provider for development. <strong>No money moves.</strong></p>'

type Button = readonly [action: string, text: string, isPlain?: boolean]

const buttons = (reference: string, all: readonly Button[]): string =>
  all
    .map(
      ([action, text, isPlain = true]) =>
        `<form method="post" action="${escapeHtml(localPaymentPath(reference))}"><input type="hidden" name="action" value="${action}"><button${isPlain ? ' class="plain"' : ''}>${escapeHtml(text)}</button></form>`,
    )
    .join('')

/** What a provider reports of a payment later. */
const laterButtons = ({ subscription, charges }: LocalPayment): Button[] => {
  const last = charges.at(-1)
  const isRunning = subscription !== null && subscription.status !== 'ended'
  return [
    ...(isRunning
      ? ([
          ['renew', 'Renew'],
          ['fail_renewal', 'Fail the renewal'],
          ['end_subscription', 'End the subscription'],
        ] as const)
      : []),
    ...(last !== undefined && last.refunded < last.amount ? ([['refund', 'Refund']] as const) : []),
    ...(last !== undefined && last.dispute === null ? ([['open_dispute', 'Dispute']] as const) : []),
    ...(last?.dispute?.status === 'open'
      ? ([
          ['win_dispute', 'Dispute won'],
          ['lose_dispute', 'Dispute lost'],
        ] as const)
      : []),
  ]
}

const stateOf = (payment: LocalPayment): string => {
  const { reference, status, amount, currency } = payment
  const price = formatMoney(amount, currency)
  if (status === 'closed') return '<p>This page is closed and cannot be paid any more.</p>'
  if (status === 'paid') return `<p>It is paid.</p><div>${buttons(reference, laterButtons(payment))}</div>`
  return `<div>${buttons(reference, [
    ['pay', `Pay ${price}`, false],
    ['decline', 'Decline'],
  ])}</div>`
}

const summaryOf = ({ name, subscription, ...price }: LocalPayment): string => {
  const rows = [
    ['What', name],
    ['Price', formatPrice(price)],
    ...(subscription === null
      ? []
      : [['Subscription', `${subscription.status.replace('_', ' ')}, paid until ${subscription.periodEnd.slice(0, 10)}`]]),
  ]
  return `<dl>${rows.map(([term, value = '']) => `<dt>${term}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>`
}

export const localPaymentPage = (payment: LocalPayment): Page => ({
  title: 'Test payment',
  body: `${note}${summaryOf(payment)}${stateOf(payment)}<p><a href="${pagePaths.pricing}">To the plans</a></p>`,
  hasForms: true,
})

export const customerPage = (payments: readonly LocalPayment[]): Page => ({
  title: 'Test invoices',
  body: `${note}${
    payments.length === 0
      ? '<p>There are none.</p>'
      : `<ul>${payments
          .map(({ reference, name, amount, currency, status }) => {
            const text = `${name}, ${formatMoney(amount, currency)}, ${status}`
            return `<li><a href="${escapeHtml(localPaymentPath(reference))}">${escapeHtml(text)}</a></li>`
          })
          .join('')}</ul>`
  }<p><a href="${pagePaths.pricing}">To the plans</a></p>`,
})
