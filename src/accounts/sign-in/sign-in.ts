// Signs people in: at a provider, or by a one-time link of the operator. Who somebody is, the pair of provider and subject says and
// nothing else; a second provider is added only by somebody who is signed in.

import type { Clock } from '../../clock.ts'
import type { ProviderName } from '../../contract/account.ts'
import { LabError, messageOf } from '../../errors.ts'
import { createId } from '../../ids.ts'
import type { Log } from '../../log.ts'
import type { AccountStore, IdentityRow } from '../../store/accounts.ts'
import type { BrowserSessionStore } from '../../store/browser-sessions.ts'
import type { BrowserSessions, SignedIn } from '../browser-sessions.ts'
import { hashSecret } from '../secrets.ts'
import { type Attempts, attemptIdOf, type BegunAttempt } from './attempts.ts'
import type { Profile } from './profile.ts'
import { type Provider, type Providers, signInFailed } from './provider.ts'
import { checkReturnTo } from './return-to.ts'

export interface SignInDeps {
  readonly store: { readonly accounts: AccountStore; readonly browserSessions: BrowserSessionStore }
  readonly sessions: Pick<BrowserSessions, 'goesOn'>
  readonly providers: Providers
  readonly attempts: Attempts
  readonly clock: Clock
  readonly log: Log
}

export interface BeginRequest {
  readonly redirectUri: string
  readonly returnTo: string | undefined
  /** Whoever wants to add the provider to the account. */
  readonly link: SignedIn | null
}

export interface Callback {
  readonly url: URL
  readonly state: string | undefined
  /** The cookie of an attempt. */
  readonly cookie: (attemptId: string) => string | null
  /** Whoever is signed in now. */
  readonly current: SignedIn | null
}

export interface Outcome {
  readonly accountId: string
  readonly returnTo: string
  /** True when an identity was added, and the session goes on. */
  readonly isLinked: boolean
}

const stale = () => signInFailed('this sign-in was not begun in this browser, has been used, or took too long')

export const createSignIn = ({ store, sessions, providers, attempts, clock, log }: SignInDeps) => {
  const identityRow = (provider: ProviderName, { subject, login, email, avatarUrl }: Profile): Omit<IdentityRow, 'account_id'> => {
    const now = clock.now().toISOString()
    return { provider, subject, login, email, avatar_url: avatarUrl, created_at: now, last_used_at: now }
  }

  const link = async (account_id: string, provider: ProviderName, profile: Profile): Promise<void> => {
    if (await store.accounts.link({ ...identityRow(provider, profile), account_id })) return
    throw new LabError('identity_in_use', 'this identity belongs to another account', {
      hint: 'sign in with it and delete that account, or use another identity',
    })
  }

  const providerOf = (name: ProviderName): Provider => {
    const provider = providers[name]
    if (provider !== undefined) return provider
    throw new LabError('not_found', `sign-in with ${name} is not set up on this server`, {
      hint: 'GET /settings/public tells in `sign_in` how to sign in here',
    })
  }

  /** Provider errors are explained in the log only, by what the library says of them. */
  const noted = async <T>(name: ProviderName, work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof LabError && error.cause !== undefined) {
        log.warn({ provider: name, outcome: error.code, reason: messageOf(error.cause) }, 'a sign-in failed')
      }
      throw error
    }
  }

  return {
    /** Which ways there are. */
    ways: { github: providers.github !== undefined, google: providers.google !== undefined, local: true },

    /** Throws not_found, invalid_request and provider_unavailable. */
    begin: async (name: ProviderName, request: BeginRequest): Promise<{ location: URL; begun: BegunAttempt }> => {
      const provider = providerOf(name)
      const begun = attempts.begin(name, checkReturnTo(request.returnTo), request.link?.browserSessionId ?? null)
      return { location: await noted(name, provider.begin(begun.attempt, request.redirectUri)), begun }
    },

    /** Throws not_found, sign_in_failed, identity_in_use and provider_unavailable. */
    finish: async (name: ProviderName, { url, state, cookie, current }: Callback): Promise<Outcome> => {
      const provider = providerOf(name)
      const sealed = state === undefined ? null : cookie(attemptIdOf(state))
      const attempt = sealed === null ? null : attempts.open(name, state as string, sealed)
      if (attempt === null) throw stale()
      const isLink = attempt.linkSession !== null
      if (isLink && current?.browserSessionId !== attempt.linkSession) throw stale()
      const isFirst = await store.browserSessions.spendAttempt(hashSecret(attempt.state), clock.now().toISOString(), attempt.expiresAt)
      if (!isFirst) throw stale()
      const profile = await noted(name, provider.finish(attempt, url))
      const { returnTo } = attempt
      if (isLink && current !== null) {
        if (!(await sessions.goesOn(current))) throw stale() // it ended, or its account was deleted, while the provider answered
        await link(current.account.accountId, name, profile)
        return { accountId: current.account.accountId, returnTo, isLinked: true }
      }
      const row = { id: createId(), name: profile.name, role: 'member' as const, created_at: clock.now().toISOString() }
      const { id } = await store.accounts.findOrCreate(row, identityRow(name, profile))
      return { accountId: id, returnTo, isLinked: false }
    },

    /** The account of a one-time link, which is used up. Throws sign_in_failed. */
    redeem: async (code: string): Promise<string> => {
      const accountId = await store.browserSessions.useLink(hashSecret(code), clock.now().toISOString())
      if (accountId !== null) return accountId
      throw new LabError('sign_in_failed', 'this sign-in link has been used, or is too old', { hint: 'use a new link' })
    },
  }
}

export type SignIn = ReturnType<typeof createSignIn>
