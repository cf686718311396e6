// One-time sign-in links for the operator of an installation, who needs no provider and no password.

import { addMinutes, type Clock } from '../../clock.ts'
import type { Limits } from '../../configured-limits.ts'
import type { BrowserSessionStore } from '../../store/browser-sessions.ts'
import type { Accounts } from '../accounts.ts'
import { createSecret, hashSecret } from '../secrets.ts'

export interface SignInLinksDeps {
  readonly store: BrowserSessionStore
  readonly accounts: Pick<Accounts, 'operator'>
  readonly clock: Clock
  readonly limits: Pick<Limits, 'signInMinutes'>
}

/** The code is behind the `#`, so that it is sent to no server until a person presses the button. */
export const createSignInLink = async ({ store, accounts, clock, limits }: SignInLinksDeps, rootUrl: string): Promise<string> => {
  const code = createSecret()
  const { accountId } = await accounts.operator()
  const expires_at = addMinutes(clock.now(), limits.signInMinutes).toISOString()
  await store.insertLink({ hash: hashSecret(code), account_id: accountId, expires_at, used_at: null })
  return `${rootUrl}/signin#${code}`
}
