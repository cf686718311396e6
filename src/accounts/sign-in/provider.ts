// A provider of identities: where a browser is sent, and who comes back. GitHub and Google implement it.

import type { ProviderName } from '../../contract/account.ts'
import { LabError } from '../../errors.ts'
import type { Attempt } from './attempts.ts'
import type { Profile } from './profile.ts'

export interface Provider {
  /** As people call it. */
  readonly title: string
  /** Where the browser is sent. Throws provider_unavailable. */
  begin(attempt: Attempt, redirectUri: string): Promise<URL>
  /** Who has signed in, from the address that the browser came back to. Throws sign_in_failed and provider_unavailable. */
  finish(attempt: Attempt, callback: URL): Promise<Profile>
}

export type Providers = Partial<Readonly<Record<ProviderName, Provider>>>

/** How long a provider may take to answer. */
export const providerTimeoutSeconds = 10

const tryAgain = 'sign in again'

export const signInFailed = (reason: string, cause?: unknown): LabError =>
  new LabError('sign_in_failed', reason, { hint: tryAgain, ...(cause === undefined ? {} : { cause }) })

export const providerUnavailable = (title: string, cause?: unknown): LabError =>
  new LabError('provider_unavailable', `${title} does not answer as it should`, {
    hint: 'try again in a minute',
    retryAfterSeconds: 60,
    ...(cause === undefined ? {} : { cause }),
  })
