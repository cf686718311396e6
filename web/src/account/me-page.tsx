// The account: who somebody is here, plan and credits, browser sessions, and its end.

import { useState } from 'preact/hooks'
import type { Me } from '../../../src/contract/account.ts'
import { basePath } from '../../../src/contract/api-version.ts'
import type { PublicSettings } from '../../../src/contract/public-settings.ts'
import { client } from '../api.ts'
import { Question } from '../lab/question.tsx'
import { useTitle } from '../page.ts'
import { pathTo } from '../route.ts'
import { Refusal } from '../ui/refusal.tsx'
import { Loading } from '../ui/states.tsx'
import { useAction } from '../use-action.ts'
import { useComplete, useRequest } from '../use-request.ts'
import { counted, day } from '../words.ts'
import { BrowserSessions } from './browser-sessions.tsx'
import { OwnPage } from './own-page.tsx'
import { providerTitles } from './providers.ts'

interface MeProps {
  readonly me: Me
  readonly settings: PublicSettings | undefined
}

const Who = ({ me, settings }: MeProps) => {
  const addable = (['github', 'google'] as const).filter((name) => settings?.sign_in[name] === true && !me.providers.includes(name))
  return (
    <section class="panel" aria-labelledby="who">
      <h2 id="who">Who you are here</h2>
      <dl class="facts">
        <dt>Name</dt>
        <dd>{me.name}</dd>
        {me.login === null ? null : (
          <>
            <dt>Login</dt>
            <dd class="mono">{me.login}</dd>
          </>
        )}
        <dt>E-mail</dt>
        <dd>{me.email ?? 'none that a provider has verified'}</dd>
        <dt>Signs in with</dt>
        <dd>{me.providers.map((name) => providerTitles[name]).join(', ')}</dd>
        <dt>Role</dt>
        <dd>{me.role === 'operator' ? 'operator: sees and ends the sandboxes of everybody' : 'member'}</dd>
        <dt>Since</dt>
        <dd>{day(me.created_at)}</dd>
      </dl>
      {addable.map((name) => (
        <a key={name} class="button button-small" href={`${basePath}/auth/${name}?link=1&return_to=${encodeURIComponent(pathTo('me'))}`}>
          {`Add ${providerTitles[name]}`}
        </a>
      ))}
    </section>
  )
}

const planName = (me: Me, plans: readonly { readonly id: string; readonly name: string }[]): string =>
  plans.find(({ id }) => id === me.plan)?.name ?? me.plan ?? ''

const PlanAndCredits = ({ me, settings }: MeProps) => {
  if (settings === undefined) return null
  const { payments, plans, requires_plan: requiresPlan } = settings
  const isFree = payments === 'off' && !requiresPlan
  return (
    <section class="panel" aria-labelledby="plan">
      <h2 id="plan">Plan and credits</h2>
      {isFree ? (
        <p>This installation is free to use: there is nothing to buy.</p>
      ) : (
        <>
          <dl class="facts">
            <dt>Plan</dt>
            <dd>
              {me.plan === null ? 'none' : planName(me, plans)}
              {me.plan === null ? null : me.plan_ends_at === null ? ', without an end' : `, until ${day(me.plan_ends_at)}`}
            </dd>
            <dt>Credits</dt>
            <dd>{requiresPlan ? `${me.credits ?? 0}; without a plan, each start costs one` : `${me.credits ?? 0}`}</dd>
          </dl>
          <a class="button button-small" href={pathTo('pricing')}>
            {me.plan === null ? 'See the plans' : 'Plans and invoices'}
          </a>
        </>
      )}
    </section>
  )
}

const lossesOf = (me: Me): string => {
  const credits = me.credits !== null && me.credits > 0 ? ` ${counted(me.credits, 'credit')} and` : ''
  const bought =
    me.plan !== null || credits !== ''
      ? ` You lose${credits} ${me.plan === null ? 'what you have bought' : 'your plan'}; nothing is paid back.`
      : ''
  return `Your sandboxes end. Your history with all results, your recordings, tokens and sign-ins are deleted.${bought} It cannot be undone.`
}

const Deletion = ({ me }: { readonly me: Me }) => {
  const [isAsked, setAsked] = useState(false)
  const { isBusy, error, run } = useAction()
  const remove = () =>
    run(async () => {
      await client.deleteMe()
      location.assign('/signin?deleted=1')
    })
  const asking = { title: 'Delete your account?', text: lossesOf(me), yes: 'Delete my account', isDestructive: true, act: remove }
  return (
    <section class="panel" aria-labelledby="deletion">
      <h2 id="deletion">Delete the account</h2>
      <p class="muted">Everything that belongs to it goes with it.</p>
      <button type="button" class="button button-destructive" disabled={isBusy} onClick={() => setAsked(true)}>
        Delete my account
      </button>
      <Refusal error={error} />
      <Question asking={isAsked ? asking : null} close={() => setAsked(false)} />
    </section>
  )
}

const Account = ({ me }: { readonly me: Me }) => {
  const settings = useRequest('settings', () => client.settings())
  const browsers = useRequest('browser sessions', () => client.browserSessions())
  const isComplete = useComplete(settings.isPending || browsers.isPending)
  if (!isComplete) return <Loading what="your account" />
  return (
    <>
      <div class="panels">
        <Who me={me} settings={settings.value} />
        <PlanAndCredits me={me} settings={settings.value} />
      </div>
      <BrowserSessions reading={browsers} />
      <Deletion me={me} />
    </>
  )
}

export const MePage = () => {
  useTitle('Your account')
  return (
    <OwnPage page="me" title="Your account">
      {(me) => <Account me={me} />}
    </OwnPage>
  )
}
