// For pages that belong to somebody: their content, or the way to sign in.

import type { ComponentChildren } from 'preact'
import { signInPath, useAccount } from '../account.ts'
import { Loading } from '../ui/states.tsx'

export const OwnOrSignIn = ({ here, children }: { readonly here: string; readonly children: ComponentChildren }) => {
  const { me } = useAccount()
  if (me) return <>{children}</>
  return (
    <div class="narrow">
      <h1>An attempt of yours</h1>
      {me === undefined ? (
        <Loading what="your account" />
      ) : (
        <p>
          <a class="button button-primary" href={signInPath(here)}>
            Sign in to see it
          </a>
        </p>
      )}
    </div>
  )
}
