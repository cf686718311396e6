// GitHub, by OAuth 2. It has no ID token: who it is says its API, with the access token, which is then forgotten.

import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
} from 'openid-client'
import { z } from 'zod'
import { toSignInError } from './oauth-errors.ts'
import { type Profile, profileOf } from './profile.ts'
import { type Provider, providerTimeoutSeconds, providerUnavailable, signInFailed } from './provider.ts'

export interface GithubOptions {
  readonly authorizeUrl: string
  readonly tokenUrl: string
  readonly apiUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

/** The number is the identity: a login can be given up, and taken by somebody else. */
const User = z.object({
  id: z.int().positive(),
  login: z.string(),
  name: z.string().nullish().catch(undefined),
  avatar_url: z.string().nullish().catch(undefined),
})
const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))

const title = 'GitHub'

const configure = ({ authorizeUrl, tokenUrl, clientId, clientSecret }: GithubOptions): Configuration => {
  const server = { issuer: new URL(authorizeUrl).origin, authorization_endpoint: authorizeUrl, token_endpoint: tokenUrl }
  const configuration = new Configuration(server, clientId, undefined, ClientSecretPost(clientSecret))
  configuration.timeout = providerTimeoutSeconds
  if ([authorizeUrl, tokenUrl].some((url) => url.startsWith('http:'))) allowInsecureRequests(configuration)
  return configuration
}

export const createGithub = (options: GithubOptions): Provider => {
  const configuration = configure(options)
  const api = options.apiUrl.replace(/\/+$/, '')

  const ask = (path: string, token: string): Promise<Response> =>
    fetch(`${api}${path}`, {
      headers: { accept: 'application/vnd.github+json', authorization: `Bearer ${token}`, 'user-agent': 'incident-lab' },
      redirect: 'error',
      signal: AbortSignal.timeout(providerTimeoutSeconds * 1000),
    })

  const profileBy = async (token: string): Promise<Profile> => {
    const answer = await ask('/user', token)
    if (!answer.ok) throw providerUnavailable(title, new Error(`/user answered ${answer.status}`))
    const user = User.parse(await answer.json())
    const listed = await ask('/user/emails', token)
    const emails = listed.ok ? Emails.parse(await listed.json()) : [] // whoever hides them has none here
    const email = emails.find(({ primary, verified }) => primary && verified)?.email
    const { id, login, name, avatar_url } = user
    const profile = profileOf({ subject: String(id), name, login, email, isEmailVerified: email !== undefined, avatarUrl: avatar_url })
    if (profile === null) throw signInFailed('GitHub did not say who it was')
    return profile
  }

  return {
    title,

    begin: async ({ state, verifier }, redirectUri) =>
      buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'read:user user:email',
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
      }),

    finish: async ({ state, verifier }, callback) => {
      try {
        // GitHub publishes no issuer to compare `iss` with; that it was GitHub says the callback, which is its own.
        callback.searchParams.delete('iss')
        const tokens = await authorizationCodeGrant(configuration, callback, { expectedState: state, pkceCodeVerifier: verifier })
        return await profileBy(tokens.access_token)
      } catch (error) {
        throw toSignInError(title, error)
      }
    },
  }
}
