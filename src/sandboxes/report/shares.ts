// The link by which an owner shows others the report and the recordings of a sandbox. The secret is told once and stored as a hash; a link
// that is switched off is gone at once, and the next one is another (docs/adr/0023-a-link-to-a-replay.md).

import type { Account } from '../../accounts/caller.ts'
import { createSecret, hashSecret } from '../../accounts/secrets.ts'
import type { Clock } from '../../clock.ts'
import type { Share } from '../../contract/report.ts'
import { LabError } from '../../errors.ts'
import type { SandboxRow, SandboxStore } from '../../store/sandboxes.ts'
import type { ShareStore } from '../../store/shares.ts'
import type { Access } from '../access.ts'

export interface SharesDeps {
  readonly store: ShareStore
  readonly sandboxes: SandboxStore
  readonly access: Access
  readonly clock: Clock
}

export const createShares = ({ store, sandboxes, access, clock }: SharesDeps) => ({
  read: async (caller: Account, sandboxId: string): Promise<Share> => {
    const { id } = await access.ownedById(caller, sandboxId)
    return { sandbox_id: id, shared_at: (await store.find(id))?.shared_at ?? null }
  },

  /** A new link, in place of the one that there was. */
  switchOn: async (caller: Account, sandboxId: string): Promise<Share & { readonly secret: string }> => {
    const { id } = await access.ownedById(caller, sandboxId)
    const secret = createSecret()
    const shared_at = clock.now().toISOString()
    await store.put({ sandbox_id: id, account_id: caller.accountId, hash: hashSecret(secret), shared_at })
    return { sandbox_id: id, shared_at, secret }
  },

  switchOff: async (caller: Account, sandboxId: string): Promise<Share> => {
    const { id } = await access.ownedById(caller, sandboxId)
    await store.remove(id)
    return { sandbox_id: id, shared_at: null }
  },

  /** The sandbox that a link shows. Throws not_found, the same for all that it does not show. */
  open: async (secret: string): Promise<SandboxRow> => {
    const share = await store.findByHash(hashSecret(secret))
    const row = share === null ? null : await sandboxes.find(share.sandbox_id)
    if (row !== null && row.account_id === share?.account_id) return row
    throw new LabError('not_found', 'nothing is shared by this link', { hint: 'ask whoever gave it to you for a new one' })
  },
})

export type Shares = ReturnType<typeof createShares>
