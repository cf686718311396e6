// A real OAuth 2 and OpenID Connect server (oidc-provider, which is certified), for sign-ins of tests. As GitHub it is used without
// OpenID Connect, and has the two paths of GitHub's API beside it.

import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration } from 'oidc-provider'

export interface Person {
  /** What the provider never gives to somebody else; a number, as GitHub has it. */
  readonly id: number
  readonly name: string
  readonly email: string
  readonly isEmailVerified: boolean
}

export const clientId = 'incident-lab'
export const clientSecret = 'a-secret-that-only-the-server-and-the-provider-know'

const sendJson = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** GET /user and GET /user/emails, with a token of this provider. */
const githubApi =
  (provider: Provider, people: ReadonlyMap<string, Person>) =>
  async ({ url, headers }: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    if (url !== '/user' && url !== '/user/emails') return false
    const token = await provider.AccessToken.find(headers.authorization?.replace(/^Bearer /, '') ?? '')
    const login = token?.accountId ?? ''
    const person = people.get(login)
    if (person === undefined) sendJson(response, 401, { message: 'Bad credentials' })
    else if (url === '/user') sendJson(response, 200, { id: person.id, login, name: person.name, avatar_url: 'https://pictures.example/1' })
    else {
      const others = [{ email: 'other@example.org', primary: false, verified: true, visibility: null }]
      sendJson(response, 200, [{ email: person.email, primary: true, verified: person.isEmailVerified, visibility: null }, ...others])
    }
    return true
  }

/** `people` by the login that they type in. */
export const startIdentityProvider = async (people: ReadonlyMap<string, Person>) => {
  let answer: RequestListener | null = null
  /** The addresses and bodies of all requests, as a provider's log would have them. */
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    if (answer === null) request.socket.destroy()
    else answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let online: RequestListener | null = null

  return {
    url,
    seen,

    /** Serves the client that comes back to these addresses. */
    serve: (redirectUris: string[]): void => {
      const configuration: Configuration = {
        clients: [
          {
            client_id: clientId,
            client_secret: clientSecret,
            redirect_uris: redirectUris,
            token_endpoint_auth_method: 'client_secret_post',
          },
        ],
        clientDefaults: { id_token_signed_response_alg: 'RS256' },
        scopes: ['openid', 'email', 'profile', 'read:user', 'user:email'],
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
        conformIdTokenClaims: false,
        ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
        cookies: { keys: ['a key of the cookies of this provider'] },
        findAccount: (_context, login) => {
          const person = people.get(login)
          if (person === undefined) return undefined
          const claims = { sub: String(person.id), email: person.email, email_verified: person.isEmailVerified, name: person.name }
          return { accountId: login, claims: async () => ({ ...claims, picture: 'https://pictures.example/1' }) }
        },
      }
      const provider = new Provider(url, configuration)
      const callback = provider.callback()
      const api = githubApi(provider, people)
      online = async (request, response) => {
        if (!(await api(request, response))) await callback(request, response)
      }
      answer = online
    },

    /** Nobody answers any more, until `revive`. */
    fail: () => {
      answer = null
    },
    revive: () => {
      answer = online
    },
    /** What is asked from now on is answered when the returned function is called. */
    hold: (): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      answer = (request, response) => void promise.then(() => online?.(request, response))
      return () => {
        answer = online
        resolve()
      }
    },

    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>

/** What makes a server use the two. */
export const providerSettings = (github: IdentityProvider, google: IdentityProvider): Record<string, string> => ({
  LAB_GITHUB_CLIENT_ID: clientId,
  LAB_GITHUB_CLIENT_SECRET: clientSecret,
  LAB_GITHUB_AUTHORIZE_URL: `${github.url}/auth`,
  LAB_GITHUB_TOKEN_URL: `${github.url}/token`,
  LAB_GITHUB_API_URL: github.url,
  LAB_GOOGLE_CLIENT_ID: clientId,
  LAB_GOOGLE_CLIENT_SECRET: clientSecret,
  LAB_GOOGLE_ISSUER: google.url,
})
