// The page of a checkout as HTML: what is bought, at which price, and how it stands. While a confirmation is awaited it loads itself again.

import type { Checkout } from '../commerce/commerce.ts'
import { checkoutPath } from './checkout-answers.ts'
import { escapeHtml, type Page } from './html-page.ts'
import { formatPrice } from './money.ts'
import { pricingPath, testModeNote } from './pricing-page.ts'

export interface CheckoutView {
  /** Whether the last thing that happened to it is that the provider declined a payment. */
  readonly wasDeclined: boolean
  /** The plan of another name that the reader pays for every month, and that goes on beside a plan without an end. */
  readonly goesOn: string | null
  /** How often the page was loaded since the browser came back from the provider. */
  readonly returns: number
  readonly isTestMode: boolean
}

const goingOn = (name: string) =>
  `<p class="note">You pay for ${escapeHtml(name)} every month, and will go on to: end that on the pricing page, under Invoices and subscription.</p>`

const secondsBetween = 2
/** Then the reader is told to look again later: a confirmation may take long, and pages should not be loaded for ever. */
const mostReturns = 30

const linkTo = (url: string, text: string) => `<p><a class="way" href="${escapeHtml(url)}" rel="noreferrer">${escapeHtml(text)}</a></p>`
const toPlans = linkTo(pricingPath, 'To the plans')

const button = (id: string, action: string, text: string, kind = '') =>
  `<form method="post" action="${checkoutPath(id)}"><input type="hidden" name="action" value="${action}"><button${kind}>${escapeHtml(text)}</button></form>`

const summaryOf = (checkout: Checkout): string => {
  const rows = [
    ['What', escapeHtml(checkout.name)],
    ['Price', escapeHtml(formatPrice(checkout))],
  ]
  return `<dl>${rows.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('')}</dl>`
}

const waiting = ({ id }: Checkout, returns: number): Pick<Page, 'title' | 'body' | 'next'> => {
  const again = `${checkoutPath(id)}?returned=${returns + 1}`
  const isOver = returns >= mostReturns
  const text = isOver
    ? 'The payment provider has not confirmed the payment yet. It may take a while; nothing is lost if you close this page.'
    : 'Waiting for the payment provider to confirm the payment. This page loads itself again.'
  return {
    title: 'Not confirmed yet',
    body: `<p role="status">${text}</p>${isOver ? linkTo(again, 'Look again') : ''}`,
    ...(isOver ? {} : { next: { seconds: secondsBetween, url: again } }),
  }
}

const declined = '<p role="alert" class="note">The payment was declined. Nothing was charged; you can try again, or in another way.</p>'

const open = (checkout: Checkout, { wasDeclined, goesOn }: CheckoutView): Pick<Page, 'title' | 'body'> => ({
  title: 'Checkout',
  body: `${wasDeclined ? declined : ''}${goesOn === null ? '' : goingOn(goesOn)}<p>You pay on a page of the payment provider. Nothing is charged before that.</p>
<div>${button(checkout.id, 'pay', 'Pay')}${button(checkout.id, 'cancel', 'Cancel', ' class="plain"')}</div>
<p class="hint">Open until <time datetime="${checkout.expires_at}">${checkout.expires_at.slice(0, 16).replace('T', ' ')} UTC</time>.</p>`,
})

const ended = (checkout: Checkout): Pick<Page, 'title' | 'body'> => {
  const { status, payment_status, success_url, cancel_url } = checkout
  const onwards = (url: string | undefined) => (url === undefined ? toPlans : linkTo(url, `Go on to ${new URL(url).host}`))
  if (payment_status === 'refunded') return { title: 'Refunded', body: `<p>The payment was refunded.</p>${toPlans}` }
  if (payment_status === 'disputed') return { title: 'Disputed', body: `<p>The payment is disputed.</p>${toPlans}` }
  if (status === 'completed')
    return { title: 'Paid', body: `<p role="status">Thank you. The payment is confirmed.</p>${onwards(success_url)}` }
  if (status === 'expired') return { title: 'Expired', body: `<p>No payment was confirmed in time.</p>${onwards(cancel_url)}` }
  return { title: 'Cancelled', body: `<p>This checkout was cancelled before a payment was confirmed.</p>${onwards(cancel_url)}` }
}

const stateOf = (checkout: Checkout, view: CheckoutView): Pick<Page, 'title' | 'body' | 'next'> => {
  const isUnpaid = checkout.payment_status === 'unpaid'
  if (isUnpaid && view.returns > 0) return waiting(checkout, view.returns)
  return checkout.status === 'open' ? open(checkout, view) : ended(checkout)
}

export const checkoutPage = (checkout: Checkout, view: CheckoutView): Page => {
  const { title, body, next } = stateOf(checkout, view)
  return {
    title,
    body: `${view.isTestMode ? testModeNote : ''}${summaryOf(checkout)}${body}`,
    hasForms: true,
    ...(next === undefined ? {} : { next }),
  }
}
