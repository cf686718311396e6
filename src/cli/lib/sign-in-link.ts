// Prints a one-time link with which the operator signs in. Only its hash is stored.

import { createSignInLink } from '../../accounts/sign-in/sign-in-link.ts'
import type { Config } from '../../config.ts'
import { openInstallation } from '../../installation.ts'

export const printSignInLink = async (config: Config, rootUrl: string): Promise<void> => {
  const { store, accounts, clock } = await openInstallation(config)
  try {
    const link = await createSignInLink({ store: store.browserSessions, accounts, clock, limits: config.limits }, rootUrl)
    console.log(`Sign in as the operator, once, within ${config.limits.signInMinutes} minutes: ${link}`)
  } finally {
    await store.close()
  }
}
