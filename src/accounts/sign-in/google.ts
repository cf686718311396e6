// Google, by OpenID Connect with discovery. The ID token says who it is; its nonce ties it to the attempt.

import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
} from 'openid-client'
import { z } from 'zod'
import { toSignInError } from './oauth-errors.ts'
import { profileOf } from './profile.ts'
import { type Provider, providerTimeoutSeconds, signInFailed } from './provider.ts'

export interface GoogleOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

const Claims = z.object({
  sub: z.string(),
  name: z.string().optional().catch(undefined),
  email: z.string().optional().catch(undefined),
  email_verified: z.boolean().optional().catch(undefined),
  picture: z.string().optional().catch(undefined),
})

const title = 'Google'

export const createGoogle = ({ issuer, clientId, clientSecret }: GoogleOptions): Provider => {
  const options = {
    timeout: providerTimeoutSeconds,
    ...(issuer.startsWith('http:') ? { execute: [allowInsecureRequests] } : {}),
  }
  let known: Promise<Configuration> | undefined

  /** Asked for once; after a failure it is asked for again. */
  const configuration = (): Promise<Configuration> => {
    known ??= discovery(new URL(issuer), clientId, clientSecret, undefined, options).catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }

  return {
    title,

    begin: async ({ state, nonce, verifier }, redirectUri) => {
      try {
        return buildAuthorizationUrl(await configuration(), {
          redirect_uri: redirectUri,
          scope: 'openid email profile',
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          state,
          nonce,
        })
      } catch (error) {
        throw toSignInError(title, error)
      }
    },

    finish: async ({ state, nonce, verifier }, callback) => {
      try {
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
        const tokens = await authorizationCodeGrant(await configuration(), callback, checks)
        const { sub, name, email, email_verified, picture } = Claims.parse(tokens.claims())
        const profile = profileOf({ subject: sub, name, email, isEmailVerified: email_verified === true, avatarUrl: picture })
        if (profile === null) throw signInFailed('Google did not say who it was')
        return profile
      } catch (error) {
        throw toSignInError(title, error)
      }
    },
  }
}
