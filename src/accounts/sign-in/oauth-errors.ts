// Tells the errors of the OAuth library apart: what the person can repeat, and what is wrong with the provider.

import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import { isLabError, type LabError } from '../../errors.ts'
import { providerUnavailable, signInFailed } from './provider.ts'

/** Errors of OAuth that say that the provider, or how we are registered there, is at fault. */
const notOurPerson = new Set([
  'server_error',
  'temporarily_unavailable',
  'invalid_client',
  'unauthorized_client',
  'unsupported_response_type',
])

/** What the provider sends is a code from a short list, or nothing that we repeat. */
const codeIn = (error: string): string => (/^[a-z_]{1,40}$/.test(error) ? error : 'an error')

/** Codes of the library for answers that are none: a page of a proxy, a broken certificate, no time. */
const broken = /TIMEOUT|NOT_CONFORM|PARSE_ERROR|HTTP_REQUEST_FORBIDDEN/

export const toSignInError = (title: string, error: unknown): LabError => {
  if (isLabError(error)) return error
  if (error instanceof AuthorizationResponseError) {
    if (error.error === 'access_denied') return signInFailed(`the sign-in was cancelled at ${title}`, error)
    return notOurPerson.has(error.error)
      ? providerUnavailable(title, error)
      : signInFailed(`${title} refused the sign-in: ${codeIn(error.error)}`, error)
  }
  if (error instanceof ResponseBodyError) {
    return error.status >= 500 || notOurPerson.has(error.error)
      ? providerUnavailable(title, error)
      : signInFailed(`${title} did not accept the code: ${codeIn(error.error)}`, error)
  }
  if (error instanceof ClientError && !broken.test(error.code ?? ''))
    return signInFailed(`what ${title} answered does not fit this sign-in`, error)
  return providerUnavailable(title, error)
}
