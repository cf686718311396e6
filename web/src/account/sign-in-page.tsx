// Signing in: the ways that are set up here, and the one-time link of the operator. The code of such a link is behind the `#` of the
// address: it is not sent when the page is loaded, by a person or by a preview, but by the button, and it leaves the address at once.

import '../styles/account.css'
import { useEffect, useState } from 'preact/hooks'
import type { Me } from '../../../src/contract/account.ts'
import { basePath } from '../../../src/contract/api-version.ts'
import type { PublicSettings } from '../../../src/contract/public-settings.ts'
import { defaultReturnPath, isReturnPath } from '../../../src/contract/return-path.ts'
import { useAccount } from '../account.ts'
import { client } from '../api.ts'
import { type PageProps, useTitle } from '../page.ts'
import { navigate } from '../router.ts'
import { signOut } from '../sign-out.ts'
import { CopyText } from '../ui/copy-text.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { useAction } from '../use-action.ts'
import { type Reading, useRequest } from '../use-request.ts'
import { providerTitles } from './providers.ts'

const returnPathIn = (address: URL): string => {
  const asked = address.searchParams.get('return_to')
  return asked !== null && isReturnPath(asked) ? asked : defaultReturnPath
}

/** The code of a one-time link, also of one that is opened later in the same tab. Empty without one. */
const useCode = (): string => {
  const [code, setCode] = useState(() => location.hash.slice(1))
  useEffect(() => {
    const take = () => {
      const given = location.hash.slice(1)
      if (given === '') return
      setCode(given)
      navigate(location.pathname + location.search, { replace: true })
    }
    take()
    addEventListener('hashchange', take)
    return () => removeEventListener('hashchange', take)
  }, [])
  return code
}

/** The app is loaded anew: as somebody else. */
const ByLink = ({ code, next }: { readonly code: string; readonly next: string }) => {
  const { isBusy, error, run } = useAction()
  const signIn = () =>
    run(async () => {
      await client.signInLocally(code)
      location.replace(next)
    })
  return (
    <section class="sign-in-way" aria-label="One-time link">
      {error === null ? (
        <p>You opened a one-time link of the operator. It works once, for a few minutes, and has not been used yet by opening this page.</p>
      ) : null}
      <button type="button" class="button button-primary button-large" disabled={isBusy} onClick={signIn}>
        Sign in as the operator
      </button>
      <Refusal error={error} />
    </section>
  )
}

const Providers = ({ ways, next }: { readonly ways: PublicSettings['sign_in']; readonly next: string }) => {
  const query = next === defaultReturnPath ? '' : `?return_to=${encodeURIComponent(next)}`
  const names = (['github', 'google'] as const).filter((name) => ways[name])
  if (names.length === 0) return null
  return (
    <section class="sign-in-way" aria-label="Providers">
      {names.map((name) => (
        <a key={name} class="button button-primary button-large" href={`${basePath}/auth/${name}${query}`}>
          {`Sign in with ${providerTitles[name]}`}
        </a>
      ))}
      <p class="muted small">
        You are asked there whether this service may read your name and e-mail address, nothing else, and come back here. There is no
        password here.
      </p>
    </section>
  )
}

const OperatorsWay = ({ isOnly }: { readonly isOnly: boolean }) => (
  <section class="panel sign-in-way" aria-labelledby="operators-way">
    <h2 id="operators-way">{isOnly ? 'With a one-time link' : 'If you run this installation'}</h2>
    <p>
      {isOnly ? 'No identity provider is set up here, so the one who runs it signs in with a one-time link. ' : ''}
      <code>./lab up</code> has printed a link; this prints another one:
    </p>
    <CopyText text="./lab signin" what="the command" />
    <p class="muted small">It works once, within a few minutes. Open it in this browser, then press the button.</p>
  </section>
)

const SignedIn = ({ name, next }: { readonly name: string; readonly next: string }) => {
  const { isBusy, error, run } = useAction()
  return (
    <section class="sign-in-way" aria-label="Signed in">
      <p>
        You are signed in as <strong>{name}</strong>.
      </p>
      <div class="button-row">
        <a class="button button-primary" href={next}>
          {next === defaultReturnPath ? 'Go to the incidents' : 'Go on'}
        </a>
        <button type="button" class="button" disabled={isBusy} onClick={() => run(() => signOut('/signin'))}>
          Sign out
        </button>
      </div>
      <Refusal error={error} />
    </section>
  )
}

interface WaysProps {
  readonly me: Me | null | undefined
  readonly settings: Reading<PublicSettings>
  readonly code: string
  readonly next: string
}

const Ways = ({ me, settings, code, next }: WaysProps) => {
  const ways = settings.value?.sign_in
  return (
    <>
      {code === '' ? null : <ByLink key={code} code={code} next={next} />}
      {me ? <SignedIn name={me.name} next={next} /> : null}
      {me === null && ways !== undefined ? (
        <>
          <Providers ways={ways} next={next} />
          {code === '' ? <OperatorsWay isOnly={!ways.github && !ways.google} /> : null}
        </>
      ) : null}
      {settings.value === undefined && settings.error !== undefined ? <Failed error={settings.error} retry={settings.reload} /> : null}
      {me === null ? (
        <p class="muted small">
          Reading the incidents needs no account, and neither does an AI agent: <a href="/connect">connect it</a>.
        </p>
      ) : null}
    </>
  )
}

export const SignInPage = ({ address }: PageProps) => {
  useTitle('Sign in')
  const { me, isPending } = useAccount()
  const code = useCode()
  const next = returnPathIn(address)
  const settings = useRequest('settings', () => client.settings())
  return (
    <div class="narrow">
      <h1>Sign in</h1>
      {address.searchParams.has('deleted') ? (
        <p class="notice" role="status">
          Your account and everything that belonged to it are deleted.
        </p>
      ) : null}
      {next === defaultReturnPath ? null : (
        <p class="muted">
          Afterwards you come back to <span class="mono">{next}</span>.
        </p>
      )}
      {isPending || settings.isPending ? <Loading what="the ways to sign in" /> : null}
      {isPending || settings.isPending ? null : <Ways {...{ me, settings, code, next }} />}
    </div>
  )
}
