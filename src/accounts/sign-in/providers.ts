// The providers that the operator has set up. Their library is loaded only where there is one.

import { LabError } from '../../errors.ts'
import type { Provider, Providers } from './provider.ts'

export interface ProviderSettings {
  readonly githubClientId: string | undefined
  readonly githubClientSecret: string | undefined
  readonly githubAuthorizeUrl: string
  readonly githubTokenUrl: string
  readonly githubApiUrl: string
  readonly googleClientId: string | undefined
  readonly googleClientSecret: string | undefined
  readonly googleIssuer: string
}

/** Null without both; one without the other is a mistake. */
const credentials = (name: string, clientId: string | undefined, clientSecret: string | undefined) => {
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret }
  if (clientId === undefined && clientSecret === undefined) return null
  throw new LabError('invalid_request', `LAB_${name}_CLIENT_ID and LAB_${name}_CLIENT_SECRET must be set together`)
}

export const createProviders = async (settings: ProviderSettings): Promise<Providers> => {
  const github = credentials('GITHUB', settings.githubClientId, settings.githubClientSecret)
  const google = credentials('GOOGLE', settings.googleClientId, settings.googleClientSecret)
  const providers: { github?: Provider; google?: Provider } = {}
  if (github !== null) {
    const { githubAuthorizeUrl: authorizeUrl, githubTokenUrl: tokenUrl, githubApiUrl: apiUrl } = settings
    providers.github = (await import('./github.ts')).createGithub({ ...github, authorizeUrl, tokenUrl, apiUrl })
  }
  if (google !== null) providers.google = (await import('./google.ts')).createGoogle({ ...google, issuer: settings.googleIssuer })
  return providers
}
