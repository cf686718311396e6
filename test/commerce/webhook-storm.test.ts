// A storm of webhooks, forged ones and duplicates of a real one, leaves the rest of the service usable: in between, every other request
// is answered, and none fails. How quickly is the business of a benchmark.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signatureHeader } from '../../src/commerce/providers/local-delivery.ts'
import { readConfig } from '../../src/config.ts'
import { type Installation, openInstallation } from '../../src/installation.ts'
import { createMember } from '../support/accounts.ts'
import { createSender } from '../support/http.ts'
import { paidEvent, signerOf } from '../support/payments.ts'
import { createClient, type Lab, smallCatalog, startLab } from '../support/server.ts'
import { deep } from '../support/test-mode.ts'

const total = deep ? 100_000 : 2_000
const connections = 100
const batchSize = 500
/** Wrong requests of one network in a minute. */
const allowed = readConfig({}).limits.rates.anonymous.write

const forger = { 'x-forwarded-for': '198.51.100.66' }
const provider = { 'x-forwarded-for': '203.0.113.7' }
/** One address for each batch, so that no limit of theirs is met. */
const visitor = (index: number) => ({ 'x-forwarded-for': `2001:db8:0:${index.toString(16)}::1` })

let lab: Lab
let inside: Installation
let storm: ReturnType<typeof createSender>

beforeAll(async () => {
  // Through a trusted proxy everybody has an address of their own; rate limits are those of an installation.
  lab = await startLab({
    ...smallCatalog,
    ...{
      LAB_PAYMENTS: 'local',
      LAB_REQUIRE_PLAN: '1',
      LAB_RATE_LIMIT_SCALE: '1',
      LAB_TRUSTED_PROXIES: '127.0.0.1',
      LAB_LOG_LEVEL: 'error',
    },
  })
  inside = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
  storm = createSender(lab.url, connections)
})
afterAll(async () => {
  storm?.close()
  await inside?.store.close()
  await lab?.close()
})

describe('a storm of webhooks', () => {
  it('cannot guess more signatures by sending many at once', async () => {
    const { requestFor } = await signerOf(lab.dataDir)
    const event = paidEvent({ id: '0000000000000000', amount: 900, currency: 'usd', pack_id: 'credits_10' })
    const guess = (index: number) => ({ [signatureHeader]: `t=${Math.floor(Date.now() / 1000)},v1=${`${index}`.padStart(64, '0')}` })
    const from = { 'x-forwarded-for': '198.51.100.67' }
    const answers = await Promise.all(
      Array.from({ length: 5 * allowed }, (_, index) => storm.send(requestFor(event, { ...guess(index), ...from }))),
    )
    const statuses = answers.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([400, 429]))
    expect(statuses.filter((status) => status === 400).length).toBeLessThan(2 * allowed)
  })

  it(`of ${total} leaves the rest of the service usable, and changes the state once`, { timeout: 3_600_000 }, async () => {
    const call = createClient(lab.url, (await createMember(inside)).token)
    const nobody = createClient(lab.url)
    const { body: checkout } = await call('POST', '/api/v1/credits/checkout', { pack_id: 'credits_10' })
    const { requestFor } = await signerOf(lab.dataDir)
    const event = paidEvent(checkout)
    const badSignature = (index: number) => `t=${Math.floor(Date.now() / 1000)},v1=${index.toString(16).padStart(64, '0')}`
    const forged = (index: number) => requestFor(event, { [signatureHeader]: badSignature(index), ...forger })

    const counts = new Map<string, number>()
    const one = async (index: number) => {
      const isForged = index % 2 === 0
      const { status } = await storm.send(isForged ? forged(index) : requestFor(event, provider))
      const key = `${isForged ? 'forged' : 'real'} ${status}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    for (let sent = 0; sent < total; sent += batchSize) {
      const batch = Promise.all(Array.from({ length: batchSize }, (_, index) => one(sent + index)))
      const from = visitor(sent / batchSize)
      const meanwhile = await Promise.all([
        nobody('GET', '/api/v1/health', undefined, from),
        nobody('GET', '/api/v1/courses', undefined, from),
        nobody('GET', '/pricing', undefined, from),
        call('GET', '/api/v1/auth/me'),
        call('GET', `/checkout_sessions/${checkout.id}`),
      ])
      expect(meanwhile.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
      await batch
    }
    expect(counts.get('real 200')).toBe(total / 2)
    const wrong = [...counts.keys()].filter((key) => !['real 200', 'forged 400', 'forged 429'].includes(key))
    expect(wrong).toEqual([])
    expect(counts.get('forged 429')).toBeGreaterThan(0)
    // Signed, but in no known form: refused, and not counted, so that the next real one comes through.
    const strange = { ...event, id: 'event_strange', kind: 'something_new' } as unknown as typeof event
    for (let more = 0; more < 50; more += 1) expect((await storm.send(requestFor(strange, provider))).status).toBe(400)
    expect((await storm.send(requestFor(event, provider))).status).toBe(200)
    const { body } = await call('GET', '/api/v1/credits')
    expect([body.balance, body.total_count]).toEqual([10, 1])
  })
})
