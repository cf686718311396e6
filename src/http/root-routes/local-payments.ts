// The pages of the local payment provider, which takes no money: where a checkout is paid or declined, and what can happen to a payment
// afterwards. They exist only where the operator has chosen it, and show a payment to the account that it belongs to.

import type { FastifyRequest } from 'fastify'
import type { LocalProvider } from '../../commerce/providers/local.ts'
import { pagePaths } from '../../contract/page-paths.ts'
import { isLabError, LabError } from '../../errors.ts'
import type { Routes } from '../app.ts'
import { readForms } from '../body.ts'
import { errorPage } from '../error-page.ts'
import { sendPage } from '../html-page.ts'
import { customerPage, type LocalPayment, localPaymentPage, localPaymentPath } from '../local-payment-page.ts'
import { formOf, idIn, personOf } from '../page-forms.ts'

type Pages = LocalProvider['pages']

/** What a button does, by its name in the form. */
const actions: Readonly<Record<string, (pages: Pages, reference: string) => Promise<unknown>>> = {
  pay: (pages, reference) => pages.pay(reference),
  decline: (pages, reference) => pages.decline(reference),
  renew: (pages, reference) => pages.renew(reference),
  fail_renewal: (pages, reference) => pages.failRenewal(reference),
  end_subscription: (pages, reference) => pages.endSubscription(reference),
  refund: (pages, reference) => pages.refund(reference),
  open_dispute: (pages, reference) => pages.openDispute(reference),
  win_dispute: (pages, reference) => pages.closeDispute(reference, 'won'),
  lose_dispute: (pages, reference) => pages.closeDispute(reference, 'lost'),
}

/** Stays on the host that the browser uses. */
const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return pathname + search
}

export const routes: Routes = (app, { commerce: { checkouts }, localPayments }) => {
  if (localPayments === null) return
  const { pages } = localPayments
  readForms(app)
  const errorHandler = errorPage({
    titleOf: (code) => (code === 'not_found' ? 'There is no such payment' : 'Nothing has changed'),
    way: { url: pagePaths.pricing, text: 'To the plans' },
    signsIn: true,
  })
  const schema = { hide: true } as never
  const form = { config: { rate: 'write', takesForms: true }, schema, errorHandler } as const

  const isOwn = (request: FastifyRequest, { checkoutId }: LocalPayment): Promise<boolean> =>
    checkouts.read(personOf(request), checkoutId).then(
      () => true,
      (error: unknown) => {
        if (isLabError(error, 'not_found')) return false
        throw error
      },
    )

  const ownPayment = async (request: FastifyRequest): Promise<LocalPayment> => {
    const payment = await pages.read(idIn(request, 'reference'))
    if (await isOwn(request, payment)) return payment
    throw new LabError('not_found', 'there is no such payment')
  }

  app.get(localPaymentPath(':reference'), { schema, errorHandler }, async (request, reply) =>
    sendPage(reply, 200, localPaymentPage(await ownPayment(request))),
  )

  app.post(localPaymentPath(':reference'), form, async (request, reply) => {
    const { reference, returnUrl, cancelUrl } = await ownPayment(request)
    const { action = '' } = formOf(request)
    if (!Object.hasOwn(actions, action)) throw new LabError('invalid_request', 'the form names no action')
    await actions[action]?.(pages, reference)
    const next: Readonly<Record<string, string>> = { pay: pathOf(returnUrl), decline: pathOf(cancelUrl) }
    return reply.redirect(next[action] ?? localPaymentPath(reference), 303)
  })

  app.get('/local-payments/customers/:customer', { schema, errorHandler }, async (request, reply) => {
    const payments = await pages.ofCustomer(idIn(request, 'customer'))
    const own = await Promise.all(payments.map((payment) => isOwn(request, payment)))
    return sendPage(reply, 200, customerPage(payments.filter((_, index) => own[index])))
  })
}
