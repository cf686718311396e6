import { expect, it } from 'vitest'
import { addMinutes, systemClock } from '../clock.ts'
import { openStore } from '../store/store.ts'
import { createAccounts } from './accounts.ts'

const limits = { accountTokens: 5, idempotencyHours: 24 }

it('tokens that have ended are kept for as long as a request may be repeated, and no longer', async () => {
  let now = new Date('2026-05-05T00:00:00.000Z')
  const store = await openStore({ databaseUrl: undefined, file: ':memory:', now })
  const accounts = createAccounts({ store, clock: { ...systemClock, now: () => now }, limits })
  const operator = await accounts.operator()
  const issue = async (days: number, requestId: string) => (await accounts.issueToken(operator, 'x', days, requestId)).api_token.id
  const [revoked, short] = [await issue(30, 'revoked'), await issue(1, 'short'), await issue(30, 'long')]
  await accounts.revokeToken(operator, revoked)
  const kept = async () => {
    await accounts.purge()
    const found = await Promise.all(['revoked', 'short', 'long'].map((request) => accounts.findIssued(request)))
    return found.map((token) => token !== null)
  }
  expect(await kept()).toEqual([true, true, true])
  now = addMinutes(now, 24 * 60)
  expect(await kept()).toEqual([true, true, true])
  expect((await accounts.revokeToken(operator, revoked)).token_id).toBe(revoked)
  now = addMinutes(now, 1)
  expect(await kept()).toEqual([false, true, true])
  now = addMinutes(now, 24 * 60)
  expect(await kept()).toEqual([false, false, true])
  await expect(accounts.revokeToken(operator, short)).rejects.toMatchObject({ code: 'not_found' })
})
