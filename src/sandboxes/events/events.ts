// The events of sandboxes for those who follow them. All followers of a sandbox share one watch, and their number is limited, for each
// sandbox and for each account, on each server.

import type { Account, LabHolder } from '../../accounts/caller.ts'
import type { Limits } from '../../configured-limits.ts'
import type { LabGuests, SandboxEvent } from '../../contract/event.ts'
import type { LabRole } from '../../contract/lab-access.ts'
import { LabError } from '../../errors.ts'
import { endingOf } from '../../store/require-running.ts'
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
  /** For whom it counts. */
  readonly who: string
  readonly role: LabRole
  readonly told: (event: SandboxEvent) => void
  /** Until it has its snapshot, it is told nothing. */
  isReady: boolean
}

/** A page has one, and one more while it is being loaded again. */
const streamsPerGuest = 3

const tooMany = (whose: string, limit: number) =>
  new LabError('too_many_connections', `${limit} event streams of this ${whose} are open`, {
    hint: 'close one first',
    details: { limit },
    retryAfterSeconds: 5,
  })

export const createSandboxEvents = ({ limits, ...deps }: SandboxEventsDeps) => {
  const watched = new Map<string, Watched>()
  const perCaller = new Map<string, number>()

  const countFor = (who: string, change: 1 | -1) => {
    const count = (perCaller.get(who) ?? 0) + change
    if (count > 0) perCaller.set(who, count)
    else perCaller.delete(who)
  }

  const countIn = (followers: ReadonlySet<Follower>, role: LabRole) => [...followers].filter((one) => one.role === role).length
  const guestsIn = (followers: ReadonlySet<Follower>): LabGuests => ({
    partners: countIn(followers, 'partner'),
    watchers: countIn(followers, 'watcher'),
  })
  const tellGuests = (followers: ReadonlySet<Follower>) => {
    for (const { told, isReady } of [...followers]) if (isReady) told({ event: 'guests', data: guestsIn(followers) })
  }

  /** Guests have a number of their own, so that they keep no owner out. */
  const requireRoom = (who: string, role: LabRole, followers: ReadonlySet<Follower>) => {
    const most = role === 'owner' ? limits.accountEventStreams : streamsPerGuest
    if ((perCaller.get(who) ?? 0) >= most) throw tooMany(role === 'owner' ? 'account' : 'guest', most)
    if (role === 'owner' && countIn(followers, role) >= limits.sandboxEventStreams) throw tooMany('sandbox', limits.sandboxEventStreams)
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
    follow: async (caller: Account | LabHolder, row: SandboxRow, told: (event: SandboxEvent) => void): Promise<() => void> => {
      const [who, role] = caller.kind === 'lab' ? [caller.accessId, caller.role] : [caller.accountId, 'owner' as const]
      requireRoom(who, role, watched.get(row.id)?.followers ?? new Set())
      const { watch, followers } = watched.get(row.id) ?? open(row.id)
      const follower: Follower = { who, role, told, isReady: false }
      followers.add(follower)
      countFor(who, 1)
      const leave = () => {
        if (!followers.delete(follower)) return
        countFor(who, -1)
        if (role !== 'owner') tellGuests(followers)
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
      told({ event: 'snapshot', data: { ...snapshot, guests: guestsIn(followers) } })
      if (role !== 'owner') tellGuests(followers)
      follower.isReady = true
      const { status, termination_reason = null } = snapshot.sandbox
      const why = endingOf(snapshot.sandbox)
      const message = `the sandbox has ended${why === null ? '' : `: ${why}`}`
      if (status === 'terminated') told({ event: 'end', data: { termination_reason, message } })
      return leave
    },

    /** How many streams are open. */
    count: (): number => [...perCaller.values()].reduce((sum, count) => sum + count, 0),
  }
}

export type SandboxEvents = ReturnType<typeof createSandboxEvents>
