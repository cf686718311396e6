// Accounts beside the operator's, without a provider.

import { createId } from '../../src/ids.ts'
import type { Installation } from '../../src/installation.ts'

type Inside = Pick<Installation, 'store' | 'accounts' | 'clock'>

/** A new account that is not an operator, and a token of it. */
export const createMember = async ({ store, accounts, clock }: Inside, name = 'Eve'): Promise<{ accountId: string; token: string }> => {
  const accountId = createId()
  await store.accounts.insert({ id: accountId, name, role: 'member', created_at: clock.now().toISOString() })
  const { token } = await accounts.issueToken({ kind: 'account', accountId, role: 'member' }, 'test', 1)
  return { accountId, token }
}
