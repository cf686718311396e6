// Browser sessions: opened by a sign-in, found by the value of a cookie, of which only the hash is stored. They end after an absolute
// time, after a time without use, and at once when they are revoked.

import { addMinutes, type Clock } from '../clock.ts'
import type { Limits } from '../configured-limits.ts'
import type { BrowserSession, EndedBrowserSession } from '../contract/account.ts'
import { LabError } from '../errors.ts'
import { createId } from '../ids.ts'
import type { BrowserSessionRow, BrowserSessionStore } from '../store/browser-sessions.ts'
import type { Account } from './caller.ts'
import { createSecret, hashSecret } from './secrets.ts'
import { summarizeUserAgent } from './user-agent.ts'

const minutesPerDay = 24 * 60
const touchEveryMs = 60_000
/** Sessions of one account; beyond that, the one unused for longest ends. */
const mostSessions = 50

/** The account of a request with a session cookie. */
export interface SignedIn {
  readonly account: Account
  readonly browserSessionId: string
}

export interface OpenedSession {
  /** For the cookie, and nothing else. */
  readonly value: string
  readonly maxAgeSeconds: number
}

export interface BrowserSessionsDeps {
  readonly store: BrowserSessionStore
  readonly clock: Clock
  readonly limits: Pick<Limits, 'browserSessionDays' | 'browserSessionIdleDays'>
}

export const createBrowserSessions = ({ store, clock, limits }: BrowserSessionsDeps) => {
  /** A session that was not used since then has ended. */
  const idleSince = (now: Date) => addMinutes(now, -limits.browserSessionIdleDays * minutesPerDay).toISOString()

  const live = (accountId: string): Promise<BrowserSessionRow[]> => {
    const now = clock.now()
    return store.list(accountId, now.toISOString(), idleSince(now))
  }

  const end = async (accountId: string, id: string): Promise<EndedBrowserSession | null> => {
    const ended_at = clock.now().toISOString()
    return (await store.revoke(accountId, id, ended_at)) ? { browser_session_id: id, ended_at } : null
  }

  const endAll = async (accountId: string, rows: readonly BrowserSessionRow[]): Promise<EndedBrowserSession[]> =>
    (await Promise.all(rows.map(({ id }) => end(accountId, id)))).filter((ended) => ended !== null)

  return {
    /** A new session, with a new value: a sign-in never continues an old one. */
    open: async (accountId: string, userAgent: string | undefined): Promise<OpenedSession> => {
      const value = createSecret()
      const now = clock.now()
      const expires = addMinutes(now, limits.browserSessionDays * minutesPerDay)
      await store.insert({
        id: createId(),
        account_id: accountId,
        hash: hashSecret(value),
        user_agent: summarizeUserAgent(userAgent),
        created_at: now.toISOString(),
        last_used_at: now.toISOString(),
        expires_at: expires.toISOString(),
        revoked_at: null,
      })
      await endAll(accountId, (await live(accountId)).slice(mostSessions))
      return { value, maxAgeSeconds: Math.round((expires.getTime() - now.getTime()) / 1000) }
    },

    /** By the hash of its value. Requests come through `browser-session-gate.ts`, which limits guesses. */
    find: async (hash: string): Promise<SignedIn | null> => {
      const found = await store.findByHash(hash)
      if (found === null) return null
      const { account, session } = found
      const now = clock.now()
      const isOver = session.revoked_at !== null || session.expires_at <= now.toISOString() || session.last_used_at <= idleSince(now)
      if (isOver) return null
      if (now.getTime() - Date.parse(session.last_used_at) > touchEveryMs) await store.touch(session.id, now.toISOString())
      return { account: { kind: 'account', accountId: account.id, role: account.role }, browserSessionId: session.id }
    },

    /** Whether it has not ended since it was found. */
    goesOn: async ({ account, browserSessionId }: SignedIn): Promise<boolean> =>
      (await live(account.accountId)).some(({ id }) => id === browserSessionId),

    list: async ({ accountId }: Account, current: string | null): Promise<BrowserSession[]> =>
      (await live(accountId)).map(({ id, user_agent, created_at, last_used_at, expires_at }) => ({
        browser_session_id: id,
        is_current: id === current,
        user_agent,
        created_at,
        last_used_at,
        expires_at,
      })),

    /** Throws not_found unless it is a session of the caller that has not ended. */
    end: async ({ accountId }: Account, id: string): Promise<EndedBrowserSession> => {
      const ended = await end(accountId, id)
      if (ended !== null) return ended
      throw new LabError('not_found', 'there is no such browser session', { hint: 'GET /auth/sessions lists yours' })
    },

    endOthers: async ({ accountId }: Account, current: string | null): Promise<EndedBrowserSession[]> =>
      endAll(
        accountId,
        (await live(accountId)).filter(({ id }) => id !== current),
      ),

    purge: async (): Promise<void> => {
      const now = clock.now()
      await store.purge(now.toISOString(), idleSince(now))
    },
  }
}

export type BrowserSessions = ReturnType<typeof createBrowserSessions>
