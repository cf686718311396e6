import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { createRateLimit } from '../rate-limit.ts'
import { openStore } from '../store/store.ts'
import { createAccounts } from './accounts.ts'
import { createToken } from './token-format.ts'
import { createTokenGate } from './token-gate.ts'

const guesses = 3
const rates = { read: 60, write: 60, start: 60, exec: 60, auth: guesses }

const open = async () => {
  const store = await openStore({ databaseUrl: undefined, file: ':memory:', now: new Date() })
  const looks: string[] = []
  const pace = { store: Promise.resolve() }
  const findByHash = async (hash: string) => {
    looks.push(hash)
    const [found] = await Promise.all([store.tokens.findByHash(hash), pace.store])
    return found
  }
  const counted = { accounts: store.accounts, tokens: { ...store.tokens, findByHash } }
  const accounts = createAccounts({ store: counted, clock: systemClock, limits: { accountTokens: 50, idempotencyHours: 24 } })
  const operator = await accounts.operator()
  const { token, api_token } = await accounts.issueToken(operator, 'test', 1)
  const rateLimit = createRateLimit({ rates: { anonymous: rates, account: rates }, scale: 1, now: () => 0 })
  const gate = createTokenGate({ accounts, rateLimit })
  const codeOf = async (bearer: string, address = '192.0.2.1') => {
    const identified = await gate.byToken(bearer, address)
    return identified.account === null ? identified.error.code : identified.account.role
  }
  return { looks, pace, accounts, operator, token, api_token, gate, codeOf }
}

describe('the gate', () => {
  it('lets a right token in as often as it comes, and at once as often as it likes', async () => {
    const { codeOf, token } = await open()
    expect(await Promise.all(Array.from({ length: 20 }, () => codeOf(token)))).toEqual(Array(20).fill('operator'))
    for (let count = 0; count < 20; count += 1) expect(await codeOf(token)).toBe('operator')
    for (let count = 0; count < guesses; count += 1) expect(await codeOf(createToken())).toBe('unauthorized')
  })

  it('counts guesses, and beyond the limit tells nobody whether one was right', async () => {
    const { codeOf, token } = await open()
    const answers = []
    for (const guess of [createToken(), 'nonsense', createToken(), createToken(), token]) answers.push(await codeOf(guess))
    expect(answers).toEqual([...Array(guesses).fill('unauthorized'), 'rate_limited', 'rate_limited'])
    expect(await codeOf(token, '192.0.2.2')).toBe('operator')
    expect(await codeOf(token)).toBe('operator')
  })

  it('looks no further than the limit into the store, however many guesses come at once', async () => {
    const { looks, codeOf } = await open()
    const answers = await Promise.all(Array.from({ length: 50 }, () => codeOf(createToken())))
    expect([answers.filter((code) => code === 'unauthorized').length, looks.length]).toEqual([guesses, guesses])
  })

  it('looks up nothing that is no token by its checksum', async () => {
    const { looks, codeOf, token } = await open()
    const last = token.endsWith('0') ? '1' : '0'
    for (const wrong of ['nonsense', `${token.slice(0, -1)}${last}`]) expect(await codeOf(wrong)).toBe('unauthorized')
    expect(looks).toEqual([])
  })

  it('forgets a token that was revoked', async () => {
    const { accounts, operator, api_token, token, codeOf } = await open()
    expect(await codeOf(token)).toBe('operator')
    await accounts.revokeToken(operator, api_token.id)
    for (let count = 0; count < guesses; count += 1) expect(await codeOf(token)).toBe('unauthorized')
    expect(await codeOf(token)).toBe('rate_limited')
  })

  it('refuses a revoked token also while an earlier request with it is still being looked up', async () => {
    const { pace, accounts, operator, api_token, token, codeOf } = await open()
    const { promise, resolve } = Promise.withResolvers<void>()
    pace.store = promise
    const before = codeOf(token)
    await accounts.revokeToken(operator, api_token.id)
    const after = codeOf(token)
    resolve()
    expect(await Promise.all([before, after])).toEqual(['operator', 'unauthorized'])
  })

  it('reads the header', async () => {
    const { gate, token } = await open()
    expect(await gate.byHeader(`Bearer ${token}`, '192.0.2.1')).toMatchObject({ account: { role: 'operator' } })
    expect(await gate.byHeader(`Basic ${token}`, '192.0.2.1')).toMatchObject({
      account: null,
      error: { code: 'unauthorized' },
      allowance: { remaining: guesses - 1 },
    })
  })
})
