// What the reader has: plan, credits, subscriptions, and checkouts that can still be paid.

import { formatPrice } from '../../../src/contract/money.ts'
import type { CreditPack, OfferedPlan } from '../../../src/contract/offers.ts'
import type { PublicSettings } from '../../../src/contract/public-settings.ts'
import { useAccount } from '../account.ts'
import { client } from '../api.ts'
import { pathTo } from '../route.ts'
import { Refusal } from '../ui/refusal.tsx'
import { useAction } from '../use-action.ts'
import { useRequest } from '../use-request.ts'
import { counted } from '../words.ts'
import { planText, subscriptionNote } from './notes.ts'

export interface Offers {
  readonly settings: PublicSettings
  readonly plans: readonly OfferedPlan[]
  readonly packs: readonly CreditPack[]
}

/** What a signed-in reader pays for, and has not paid yet. */
export const useOwned = (isSignedIn: boolean) =>
  useRequest(isSignedIn ? 'billing' : null, async () => {
    const [billing, checkouts] = await Promise.all([client.billing(), client.checkouts({ limit: 50 })])
    return { ...billing, open: checkouts.items.filter(({ status }) => status === 'open') }
  })

export type Owned = NonNullable<ReturnType<typeof useOwned>['value']>

const Invoices = () => {
  const { isBusy, error, run } = useAction()
  const open = () =>
    run(async () => {
      location.assign((await client.openBillingPortal()).url)
    })
  return (
    <>
      <button type="button" class="button button-small" disabled={isBusy} onClick={open}>
        Invoices and subscription
      </button>
      <Refusal error={error} />
    </>
  )
}

export const Holdings = ({ offers, owned }: { readonly offers: Offers; readonly owned: Owned | undefined }) => {
  const { me } = useAccount()
  if (!me || owned === undefined) return null
  const credits = me.credits ?? 0
  const notes = owned.subscriptions.flatMap((subscription) => subscriptionNote(subscription, me.plan) ?? [])
  return (
    <section class="panel" aria-labelledby="own">
      <h2 id="own">What you have</h2>
      <p>
        {planText(me, offers.plans, owned.subscriptions)}
        {offers.settings.requires_plan || credits !== 0 ? ` You have ${counted(credits, 'credit')}.` : ''}
      </p>
      {credits < 0 ? <p class="muted">Credits were refunded that had been spent: starts need a balance above zero.</p> : null}
      {notes.map((note) => (
        <p key={note} class="notice notice-broken" role="status">
          {note}
        </p>
      ))}
      {owned.open.length === 0 ? null : (
        <>
          <h3>Not paid yet</h3>
          <ul class="plain-list">
            {owned.open.map((one) => (
              <li key={one.id}>
                <a href={pathTo('checkout', { checkoutId: one.id })}>{`${one.name}, ${formatPrice(one)}`}</a>
              </li>
            ))}
          </ul>
        </>
      )}
      {owned.has_invoices ? <Invoices /> : null}
    </section>
  )
}
