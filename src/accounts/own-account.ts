// What a person sees of the own account, and its deletion.

import type { Clock } from '../clock.ts'
import type { AccountDeleted, Me } from '../contract/account.ts'
import type { Engine } from '../engine/engine.ts'
import { isLabError, LabError, messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import type { AccountStore } from '../store/accounts.ts'
import type { Account, Caller } from './caller.ts'

export interface OwnAccountDeps {
  readonly store: AccountStore
  readonly engine: Pick<Engine, 'destroy'>
  readonly clock: Clock
  readonly log: Log
  /** Removes what was recorded in a sandbox. */
  readonly eraseRecordings: (sandbox: string) => Promise<void>
  /** Slots are free. */
  readonly advance: () => Promise<void>
  /** What the account has bought. */
  readonly holdingsOf: (accountId: string) => Promise<Holdings>
}

export type Holdings = Pick<Me, 'plan' | 'plan_ends_at' | 'credits'>

const deleted = (cause?: unknown) => new LabError('unauthorized', 'the account was deleted', cause === undefined ? {} : { cause })

export const createOwnAccount = ({ store, engine, clock, log, eraseRecordings, advance, holdingsOf }: OwnAccountDeps) => ({
  read: async ({ accountId }: Account): Promise<Me> => {
    const [row, identities, holdings] = await Promise.all([store.find(accountId), store.identitiesOf(accountId), holdingsOf(accountId)])
    if (row === null) throw deleted()
    return {
      id: row.id,
      name: row.name,
      login: identities.find(({ login }) => login !== null)?.login ?? null,
      email: identities.find(({ email }) => email !== null)?.email ?? null,
      avatar_url: identities.find(({ avatar_url }) => avatar_url !== null)?.avatar_url ?? null,
      providers: [...new Set(identities.map(({ provider }) => provider))],
      role: row.role,
      ...holdings,
      created_at: row.created_at,
    }
  },

  /** Deletes the account with its identities, sessions, tokens, results and recordings, and ends its sandboxes. */
  remove: async ({ accountId }: Account): Promise<AccountDeleted> => {
    const deleted_at = clock.now().toISOString()
    const { sandboxes, ended } = await store.remove(accountId, deleted_at)
    const later = (sandbox: string) => (error: unknown) =>
      log.warn({ sandbox, reason: messageOf(error) }, 'a sandbox of a deleted account will be removed later')
    await Promise.all(ended.map((sandbox) => engine.destroy(sandbox).catch(later(sandbox))))
    await Promise.all(sandboxes.map(eraseRecordings))
    void advance()
    return { id: accountId, deleted_at, ended_sandboxes: ended.length }
  },

  /** The error of a request that failed unexpectedly: when its account was deleted meanwhile, that is why. */
  explain: async (caller: Caller | null, error: unknown): Promise<unknown> => {
    if (isLabError(error) || caller?.kind !== 'account') return error
    const isDeleted = await store.find(caller.accountId).then(
      (row) => row === null,
      () => false,
    )
    return isDeleted ? deleted(error) : error
  },
})

export type OwnAccount = ReturnType<typeof createOwnAccount>
