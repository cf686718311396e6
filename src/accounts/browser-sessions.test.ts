import { describe, expect, it } from 'vitest'
import type { Clock } from '../clock.ts'
import { createRateLimit } from '../rate-limit.ts'
import { openStore } from '../store/store.ts'
import { createAccounts } from './accounts.ts'
import { createBrowserSessionGate } from './browser-session-gate.ts'
import { createBrowserSessions } from './browser-sessions.ts'
import { createSecret, hashSecret } from './secrets.ts'

const dayMs = 24 * 3_600_000
const guesses = 3
const rates = { read: 60, write: 60, start: 60, exec: 60, auth: guesses }
const address = '192.0.2.1'

const open = async () => {
  let now = Date.parse('2026-01-02T03:04:05.000Z')
  const clock: Clock = { now: () => new Date(now), sleep: async () => undefined }
  const store = await openStore({ databaseUrl: undefined, file: ':memory:', now: clock.now() })
  const operator = await createAccounts({ store, clock, limits: { accountTokens: 5, idempotencyHours: 24 } }).operator()
  const sessions = createBrowserSessions({
    store: store.browserSessions,
    clock,
    limits: { browserSessionDays: 30, browserSessionIdleDays: 7 },
  })
  const rateLimit = createRateLimit({ rates: { anonymous: rates, account: rates }, scale: 1, now: () => 0 })
  const gate = createBrowserSessionGate({ sessions, rateLimit })
  const codeOf = async (value: string) => {
    const checked = await gate.byCookie(value, address)
    return checked.found === null ? checked.error.code : 'signed in'
  }
  return { store, operator, sessions, gate, codeOf, pass: (days: number) => (now += days * dayMs) }
}

describe('a browser session', () => {
  it('is known by its cookie, of which only the hash is stored', async () => {
    const { store, operator, sessions, gate } = await open()
    const { value, maxAgeSeconds } = await sessions.open(operator.accountId, 'curl/8')
    expect([Buffer.from(value, 'base64url').length, maxAgeSeconds]).toEqual([32, 30 * 24 * 3600])
    const found = await gate.byCookie(value, address)
    expect(found).toEqual({ found: { account: operator, browserSessionId: expect.any(String) } })
    expect((await store.browserSessions.findByHash(hashSecret(value)))?.session.user_agent).toBe('curl/8')
    expect(await store.browserSessions.findByHash(value)).toBeNull()
  })

  it('ends after some days without use, and use prolongs it', async () => {
    const { operator, sessions, codeOf, pass } = await open()
    const { value } = await sessions.open(operator.accountId, undefined)
    pass(6)
    expect(await codeOf(value)).toBe('signed in')
    pass(6)
    expect(await codeOf(value)).toBe('signed in')
    expect(await sessions.list(operator, null)).toHaveLength(1)
    pass(7)
    expect(await codeOf(value)).toBe('unauthorized')
    expect(await sessions.list(operator, null)).toEqual([])
  })

  it('ends after its days, however much it is used', async () => {
    const { operator, sessions, codeOf, pass } = await open()
    const { value } = await sessions.open(operator.accountId, undefined)
    for (let day = 0; day < 29; day += 1) {
      pass(1)
      expect(await codeOf(value)).toBe('signed in')
    }
    pass(1)
    expect(await codeOf(value)).toBe('unauthorized')
  })

  it('ends at once when it is ended, also elsewhere, and for its owner only', async () => {
    const { operator, sessions, codeOf, store } = await open()
    const values = []
    for (let count = 0; count < 3; count += 1) values.push((await sessions.open(operator.accountId, undefined)).value)
    for (const value of values) expect(await codeOf(value)).toBe('signed in')
    const elsewhere = createBrowserSessions({
      store: store.browserSessions,
      clock: { now: () => new Date('2026-01-02T03:04:05.000Z'), sleep: async () => undefined },
      limits: { browserSessionDays: 30, browserSessionIdleDays: 7 },
    })
    const first = await elsewhere.find(hashSecret(values[0] as string))
    const stranger = { kind: 'account', accountId: 'eve', role: 'member' } as const
    await expect(elsewhere.end(stranger, first?.browserSessionId as string)).rejects.toMatchObject({ code: 'not_found' })
    expect(await elsewhere.endOthers(operator, first?.browserSessionId as string)).toHaveLength(2)
    expect(await Promise.all(values.map(codeOf))).toEqual(['signed in', 'unauthorized', 'unauthorized'])
    await elsewhere.end(operator, first?.browserSessionId as string)
    await expect(elsewhere.end(operator, first?.browserSessionId as string)).rejects.toMatchObject({ code: 'not_found' })
    expect(await codeOf(values[0] as string)).toBe('unauthorized')
  })

  it('makes room for others beyond fifty', async () => {
    const { operator, sessions } = await open()
    for (let count = 0; count < 53; count += 1) await sessions.open(operator.accountId, undefined)
    expect(await sessions.list(operator, null)).toHaveLength(50)
  })

  it('is not guessed: guesses are counted, and beyond the limit nobody is told', async () => {
    const { operator, sessions, codeOf } = await open()
    const { value } = await sessions.open(operator.accountId, undefined)
    const answers = []
    for (const guess of [createSecret(), 'nonsense', createSecret(), createSecret(), value]) answers.push(await codeOf(guess))
    expect(answers).toEqual([...Array(guesses).fill('unauthorized'), 'rate_limited', 'rate_limited'])
  })
})
