// Who is signed in, and what they have running. The page itself tells whether somebody is: asking without an account would be an error.

import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Me } from '../../src/contract/account.ts'
import type { SandboxSession } from '../../src/contract/sandbox.ts'
import { client } from './api.ts'
import { useRequest } from './use-request.ts'

export interface Account {
  /** Undefined while it is being read; null where nobody is signed in. */
  readonly me: Me | null | undefined
  /** Account and labs are being read for the first time. */
  readonly isPending: boolean
  readonly sandboxes: readonly SandboxSession[]
  readonly reload: () => void
  /** Reads the account itself once more. */
  readonly reloadMe: () => void
}

const secondsBetweenLooks = 30

export const isSignedIn = (): boolean => document.documentElement.dataset['account'] === 'yes'

/** A session that has ended meanwhile is as none. */
export const useOwnAccount = (): Account => {
  const hasSession = isSignedIn()
  const me = useRequest(hasSession ? 'me' : null, () => client.me())
  const isNobody = !hasSession || me.error?.code === 'unauthorized'
  const sandboxes = useRequest(isNobody ? null : 'sandboxes', () => client.sandboxes(), secondsBetweenLooks)
  const isPending = !isNobody && (me.isPending || sandboxes.isPending) // both are shown at once, so that nothing moves
  return {
    me: isNobody ? null : isPending ? undefined : me.value,
    isPending,
    sandboxes: sandboxes.value?.items ?? [],
    reload: sandboxes.reload,
    reloadMe: me.reload,
  }
}

export const AccountContext = createContext<Account>({
  ...{ me: null, isPending: false, sandboxes: [] },
  ...{ reload: () => undefined, reloadMe: () => undefined },
})
export const useAccount = (): Account => useContext(AccountContext)

/** The sign-in that leads back to where the reader is. */
export const signInPath = (here: string): string => `/signin?return_to=${encodeURIComponent(here)}`
