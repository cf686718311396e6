// Plans and credit packs, what the reader has of them, and the way to buy. Where nothing is sold, the page says so.

import '../styles/account.css'
import type { CheckoutSession } from '../../../src/contract/checkout.ts'
import { formatMoney } from '../../../src/contract/money.ts'
import type { CreditPack, OfferedPlan } from '../../../src/contract/offers.ts'
import { signInPath, useAccount } from '../account.ts'
import { client } from '../api.ts'
import { useTitle } from '../page.ts'
import { pathTo } from '../route.ts'
import { navigate } from '../router.ts'
import { Refusal } from '../ui/refusal.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { type Action, useAction } from '../use-action.ts'
import { useRequest } from '../use-request.ts'
import { counted } from '../words.ts'
import { Holdings, type Offers, type Owned, useOwned } from './holdings.tsx'
import { benefitsOf, offerOf } from './notes.ts'
import { TestMode } from './test-mode.tsx'

const readOffers = async (): Promise<Offers> => {
  const settings = await client.settings()
  if (settings.payments === 'off') return { settings, plans: [], packs: [] }
  const [{ items: plans }, { items: packs }] = await Promise.all([client.plans(), client.creditPacks()])
  return { settings, plans, packs: settings.requires_plan ? packs : [] }
}

const leadToCheckout = (action: Action, create: () => Promise<CheckoutSession>) =>
  action.run(async () => navigate(pathTo('checkout', { checkoutId: (await create()).id })))

const Buy = ({
  name,
  action,
  create,
}: {
  readonly name: string
  readonly action: Action
  readonly create: () => Promise<CheckoutSession>
}) => {
  const { me } = useAccount()
  if (me === null) {
    return (
      <a class="button" href={signInPath(pathTo('pricing'))}>
        Sign in to buy
      </a>
    )
  }
  return (
    <button type="button" class="button button-primary" disabled={action.isBusy} onClick={() => leadToCheckout(action, create)}>
      {`Buy ${name}`}
    </button>
  )
}

const PlanCard = ({ plan, offers, owned, action }: { plan: OfferedPlan; offers: Offers; owned: Owned | undefined; action: Action }) => {
  const { me } = useAccount()
  const offer = offerOf(plan, me ?? null, owned?.subscriptions ?? [])
  return (
    <li class="offer">
      <h3>{plan.name}</h3>
      <p class="price">
        {formatMoney(plan.amount, plan.currency)}{' '}
        <span class="muted small">{plan.interval === 'month' ? 'a month' : 'once, for good'}</span>
      </p>
      <ul class="plain-list">
        {benefitsOf(offers.settings).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      {plan.left === null || plan.left === 0 ? null : <p class="muted small">{`${plan.left} of ${plan.limit ?? plan.left} left`}</p>}
      {offer === 'sold_out' ? <p class="muted">Sold out</p> : null}
      {offer === 'has' ? <p class="outcome-held">You have it</p> : null}
      {offer === 'buy' ? <Buy name={plan.name} action={action} create={() => client.createCheckout({ plan_id: plan.id })} /> : null}
    </li>
  )
}

const Packs = ({ packs, action }: { readonly packs: readonly CreditPack[]; readonly action: Action }) => (
  <section aria-labelledby="packs">
    <h2 id="packs">Credits</h2>
    <p class="muted">Without a plan, each start of a sandbox costs one credit. A start that fails costs nothing.</p>
    <ul class="offers">
      {packs.map((pack) => (
        <li key={pack.id} class="offer">
          <h3>{pack.name}</h3>
          <p class="price">
            {formatMoney(pack.amount, pack.currency)} <span class="muted small">{counted(pack.credits, 'credit')}</span>
          </p>
          <Buy name={pack.name} action={action} create={() => client.buyCredits({ pack_id: pack.id })} />
        </li>
      ))}
    </ul>
  </section>
)

const Shop = ({ offers }: { readonly offers: Offers }) => {
  const { me } = useAccount()
  const owned = useOwned(me !== null && me !== undefined)
  const action = useAction()
  return (
    <>
      <TestMode payments={offers.settings.payments} />
      <Holdings offers={offers} owned={owned.value} />
      <Refusal error={action.error} />
      <section aria-labelledby="plans">
        <h2 id="plans">Plans</h2>
        <ul class="offers">
          {offers.plans.map((plan) => (
            <PlanCard key={plan.id} plan={plan} offers={offers} owned={owned.value} action={action} />
          ))}
        </ul>
      </section>
      {offers.packs.length === 0 ? null : <Packs packs={offers.packs} action={action} />}
      <p class="muted small">
        You pay on a page of the payment provider. Prices are in full, and nothing is charged before you confirm it there.
      </p>
    </>
  )
}

export const PricingPage = () => {
  useTitle('Pricing')
  const { value, error, reload } = useRequest('offers', readOffers)
  return (
    <div class="own-page">
      <h1>Pricing</h1>
      {value === undefined ? error === undefined ? <Loading what="the plans" /> : <Failed error={error} retry={reload} /> : null}
      {value?.settings.payments === 'off' ? (
        <>
          <p class="lead">There is nothing to buy here: this installation is free to use.</p>
          <p>
            <a class="button button-primary" href="/">
              All incidents
            </a>
          </p>
        </>
      ) : null}
      {value !== undefined && value.settings.payments !== 'off' ? <Shop offers={value} /> : null}
    </div>
  )
}
