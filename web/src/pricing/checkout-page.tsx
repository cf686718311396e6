// One purchase: what is bought, the way to the payment provider, and how it stands. After the return it waits for the confirmation of the
// provider, which may take a while.

import '../styles/account.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { CheckoutSession } from '../../../src/contract/checkout.ts'
import { formatPrice } from '../../../src/contract/money.ts'
import { SignInFirst } from '../account/own-page.tsx'
import { useAccount } from '../account.ts'
import { client } from '../api.ts'
import { NotFoundPage } from '../not-found-page.tsx'
import { type PageProps, useTitle } from '../page.ts'
import { pathTo } from '../route.ts'
import { Refusal } from '../ui/refusal.tsx'
import { Failed, Loading, Stale } from '../ui/states.tsx'
import { useAction } from '../use-action.ts'
import { useRequest } from '../use-request.ts'
import { moment } from '../words.ts'
import { onwardsFrom, type PurchaseState, purchaseStateOf, wasDeclined } from './purchase-state.ts'
import { TestMode } from './test-mode.tsx'

const everySeconds = 2

const titles: Readonly<Record<PurchaseState, string>> = {
  open: 'Checkout',
  settling: 'Not confirmed yet',
  paid: 'Paid',
  refunded: 'Refunded',
  disputed: 'Disputed',
  expired: 'Expired',
  cancelled: 'Cancelled',
}

const texts: Readonly<Record<Exclude<PurchaseState, 'open'>, string>> = {
  settling: `Waiting for the payment provider to confirm the payment. This page looks again every ${everySeconds} seconds. It may take a while; nothing is lost if you close it.`,
  paid: 'Thank you. The payment is confirmed.',
  refunded: 'The payment was refunded.',
  disputed: 'The payment is disputed.',
  expired: 'No payment was confirmed in time. Nothing was charged.',
  cancelled: 'This checkout was cancelled before a payment was confirmed.',
}

const tones: Readonly<Partial<Record<PurchaseState, string>>> = { settling: 'notice-broken', paid: 'notice-recovered' }

const ToPay = ({ checkout, reload }: { readonly checkout: CheckoutSession; readonly reload: () => void }) => {
  const { isBusy, error, run } = useAction()
  const history = useRequest(`checkout history ${checkout.id}`, () => client.checkoutHistory(checkout.id), everySeconds)
  const billing = useRequest('checkout billing', () => client.billing())
  const goesOn = checkout.plan_id !== undefined && checkout.interval === 'once' ? billing.value?.subscriptions[0] : undefined
  const pay = () =>
    run(async () => {
      location.assign((await client.openPaymentPage(checkout.id)).url)
    })
  const cancel = () =>
    run(async () => {
      const { cancel_url } = await client.cancelCheckout(checkout.id)
      if (cancel_url === undefined) reload()
      else location.assign(cancel_url)
    })
  return (
    <>
      {history.value !== undefined && wasDeclined(history.value) ? (
        <p class="notice notice-failed" role="alert">
          The payment was declined. Nothing was charged; you can try again, or in another way.
        </p>
      ) : null}
      {goesOn === undefined ? null : (
        <p class="notice notice-broken">{`You pay for ${goesOn.name} every month, and will go on to: end that on the pricing page, under Invoices and subscription.`}</p>
      )}
      <p>You pay on a page of the payment provider. Nothing is charged before that.</p>
      <div class="button-row">
        <button type="button" class="button button-primary" disabled={isBusy} onClick={pay}>
          Pay
        </button>
        <button type="button" class="button" disabled={isBusy} onClick={cancel}>
          Cancel
        </button>
      </div>
      <Refusal error={error} />
      <p class="muted small">{`Open until ${moment(checkout.expires_at)}.`}</p>
    </>
  )
}

const Onwards = ({ checkout, state }: { readonly checkout: CheckoutSession; readonly state: PurchaseState }) => {
  const url = onwardsFrom(checkout, state)
  return (
    <div class="button-row">
      {url === undefined ? null : (
        <a class="button button-primary" href={url} rel="noreferrer">
          {`Go on to ${new URL(url).host}`}
        </a>
      )}
      {url === undefined && state === 'paid' ? (
        <a class="button button-primary" href="/">
          To the incidents
        </a>
      ) : null}
      <a class="button" href={pathTo('pricing')}>
        To the plans
      </a>
    </div>
  )
}

/** The plan is in the account once it is paid. */
const useReloadOnceDecided = (state: PurchaseState) => {
  const { reloadMe } = useAccount()
  const before = useRef(state)
  useEffect(() => {
    if (before.current !== state) reloadMe()
    before.current = state
  }, [state])
}

const Checkout = ({ checkout, state, reload }: { checkout: CheckoutSession; state: PurchaseState; reload: () => void }) => {
  const settings = useRequest('settings', () => client.settings())
  useReloadOnceDecided(state)
  return (
    <>
      <h1>{titles[state]}</h1>
      <TestMode payments={settings.value?.payments} />
      <dl class="facts">
        <dt>What</dt>
        <dd>{checkout.name}</dd>
        <dt>Price</dt>
        <dd>{formatPrice(checkout)}</dd>
      </dl>
      {state === 'open' ? (
        <ToPay checkout={checkout} reload={reload} />
      ) : (
        <>
          <p class={`notice ${tones[state] ?? ''}`} role="status">
            {texts[state]}
          </p>
          <Onwards checkout={checkout} state={state} />
        </>
      )}
    </>
  )
}

export const CheckoutPage = ({ address, params }: PageProps) => {
  const { me } = useAccount()
  const id = params['checkoutId'] ?? ''
  const [isDecided, setDecided] = useState(false)
  const seconds = isDecided ? undefined : everySeconds
  const { value, error, failedSince, reload } = useRequest(me ? `checkout ${id}` : null, () => client.checkout(id), seconds)
  const state = value === undefined ? null : purchaseStateOf(value, address.searchParams.has('returned'))
  useTitle(state === null ? 'Checkout' : titles[state])
  useEffect(() => setDecided(state !== null && state !== 'open' && state !== 'settling'), [state])
  if (value === undefined && error?.code === 'not_found') return <NotFoundPage />
  return (
    <div class="narrow">
      {failedSince === undefined || value === undefined ? null : <Stale since={failedSince} everySeconds={everySeconds} />}
      {value !== undefined && state !== null ? <Checkout checkout={value} state={state} reload={reload} /> : null}
      {value === undefined ? <h1>Checkout</h1> : null}
      {me === null ? <SignInFirst page={address.pathname} what="A checkout" /> : null}
      {value === undefined && me !== null ? (
        error === undefined ? (
          <Loading what="the checkout" />
        ) : (
          <Failed error={error} retry={reload} />
        )
      ) : null}
    </div>
  )
}
