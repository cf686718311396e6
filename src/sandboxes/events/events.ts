// The events of sandboxes for those who follow them. All followers of a sandbox share one watch, and their number is limited, for each
// sandbox and for each account, on each server.

import type { Account } from '../../accounts/caller.ts'
import type { Limits } from '../../configured-limits.ts'
import type { SandboxEvent } from '../../contract/event.ts'
import { LabError } from '../../errors.ts'
import type { SandboxRow } from '../../store/sandboxes.ts'
import { openWatch, type Watch, type WatchDeps } from './watch.ts'

export interface SandboxEventsDeps extends WatchDeps {
  readonly limits: Pick<Limits, 'accountEventStreams' | 'sandboxEventStreams'>
}

interface Watched {
  readonly watch: Watch
  readonly followers: Set<Follower>
}

interface Follower {
  readonly accountId: string
  readonly told: (event: SandboxEvent) => void
  /** Until it has its snapshot, it is told nothing. */
  isReady: boolean
}

const tooMany = (whose: string, limit: number) =>
  new LabError('too_many_connections', `${limit} event streams of this ${whose} are open`, {
    hint: 'close one first',
    details: { limit },
    retryAfterSeconds: 5,
  })

export const createSandboxEvents = ({ limits, ...deps }: SandboxEventsDeps) => {
  const watched = new Map<string, Watched>()
  const perAccount = new Map<string, number>()

  const countFor = (accountId: string, change: 1 | -1) => {
    const count = (perAccount.get(accountId) ?? 0) + change
    if (count > 0) perAccount.set(accountId, count)
    else perAccount.delete(accountId)
  }

  const open = (sandbox: string): Watched => {
    const followers = new Set<Follower>()
    const tell = (event: SandboxEvent) => {
      if (event.event === 'end') watched.delete(sandbox)
      for (const { told, isReady } of [...followers]) if (isReady) told(event)
    }
    const opened = { watch: openWatch(deps, sandbox, tell), followers }
    watched.set(sandbox, opened)
    return opened
  }

  return {
    /**
     * Follows a sandbox; access was checked before. The first event is a snapshot, the last one `end`. Returns a function that ends it.
     * Throws too_many_connections.
     */
    follow: async (caller: Account, row: SandboxRow, told: (event: SandboxEvent) => void): Promise<() => void> => {
      const { accountId } = caller
      if ((perAccount.get(accountId) ?? 0) >= limits.accountEventStreams) throw tooMany('account', limits.accountEventStreams)
      if ((watched.get(row.id)?.followers.size ?? 0) >= limits.sandboxEventStreams) throw tooMany('sandbox', limits.sandboxEventStreams)
      const { watch, followers } = watched.get(row.id) ?? open(row.id)
      const follower: Follower = { accountId, told, isReady: false }
      followers.add(follower)
      countFor(accountId, 1)
      const leave = () => {
        if (!followers.delete(follower)) return
        countFor(accountId, -1)
        if (followers.size > 0) return
        watch.stop()
        if (watched.get(row.id)?.watch === watch) watched.delete(row.id)
      }
      await watch.lookNow()
      const snapshot = watch.snapshot()
      if (snapshot === null) {
        leave()
        throw new LabError('internal', 'the sandbox could not be looked at')
      }
      told({ event: 'snapshot', data: snapshot })
      follower.isReady = true
      const { status, termination_reason = null } = snapshot.sandbox
      if (status === 'terminated') told({ event: 'end', data: { termination_reason, message: 'the sandbox has ended' } })
      return leave
    },

    /** How many streams are open. */
    count: (): number => [...perAccount.values()].reduce((sum, count) => sum + count, 0),
  }
}

export type SandboxEvents = ReturnType<typeof createSandboxEvents>
