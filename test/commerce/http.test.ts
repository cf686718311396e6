// The HTTP side of payments, on a server whose provider is the local one: the checkout handoff, webhooks, credits, what the account sees
// of it, and the check of the operator.

import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signatureHeader } from '../../src/commerce/providers/local-delivery.ts'
import { readConfig } from '../../src/config.ts'
import { type Installation, openInstallation } from '../../src/installation.ts'
import { createMember } from '../support/accounts.ts'
import { createSender } from '../support/http.ts'
import { connectAgent, ways } from '../support/mcp.ts'
import { paidEvent, signerOf } from '../support/payments.ts'
import { createClient, inDatabase, type Lab, runLab, smallCatalog, startLab } from '../support/server.ts'

let lab: Lab
let inside: Installation
let sender: ReturnType<typeof createSender>
let signer: Awaited<ReturnType<typeof signerOf>>

const payments = { LAB_PAYMENTS: 'local', LAB_REQUIRE_PLAN: '1' }

beforeAll(async () => {
  lab = await startLab({ ...smallCatalog, ...payments })
  inside = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
  sender = createSender(lab.url, 50)
  signer = await signerOf(lab.dataDir)
})
afterAll(async () => {
  sender?.close()
  await inside?.store.close()
  await lab?.close()
})

type Call = ReturnType<typeof createClient>

const newMember = async (): Promise<{ call: Call; accountId: string }> => {
  const { token, accountId } = await createMember(inside)
  return { call: createClient(lab.url, token), accountId }
}
const create = async (call: Call, plan_id = 'pro_monthly') => (await call('POST', '/checkout_sessions', { plan_id })).body
const report = (event: ReturnType<typeof paidEvent>) => sender.send(signer.requestFor(event))
const inStore = <T>(work: (database: DatabaseSync) => T): T => inDatabase(lab.dataDir, work)

describe('a checkout session', () => {
  it('is created open and unpaid, leads to a page of this service, and says that it cannot charge', async () => {
    const { call } = await newMember()
    const urls = { success_url: 'https://shop.example/thanks', cancel_url: 'http://localhost:3000/no' }
    const { status, body, headers } = await call('POST', '/checkout_sessions', { plan_id: 'pro_monthly', ...urls })
    expect([status, headers.get('api-version')]).toEqual([201, '2026-11-15'])
    expect(body).toMatchObject({ status: 'open', payment_status: 'unpaid', amount: 2900, currency: 'usd', plan_id: 'pro_monthly', ...urls })
    expect(body.payment_url).toBe(`${lab.url}/checkout/${body.id}`)
    expect(body.continue_url).toBe(body.payment_url)
    expect(body.messages[0].text).toContain('cannot charge')
    expect((await call('GET', `/checkout_sessions/${body.id}`)).body).toEqual(body)
    expect((await call('GET', '/api/v1/checkout_sessions')).status).toBe(404)
  })

  it.each([
    ['no plan', {}, 'plan_id'],
    ['a plan that there is not', { plan_id: 'gold' }, 'plan_id'],
    ['a credit pack', { plan_id: 'credits_10' }, 'plan_id'],
    ['a price of its own', { plan_id: 'pro_monthly', amount: 1 }, 'amount'],
    ['a return to a script', { plan_id: 'pro_monthly', success_url: 'javascript:alert(1)' }, 'success_url'],
    ['a return over plain http', { plan_id: 'pro_monthly', success_url: 'http://shop.example/' }, 'success_url'],
    ['a return without slashes', { plan_id: 'pro_monthly', success_url: 'https:shop.example' }, 'success_url'],
    ['a return with a password', { plan_id: 'pro_monthly', cancel_url: 'https://user:pass@shop.example/' }, 'cancel_url'],
  ])('with %s is refused', async (_what, body, field) => {
    const { call } = await newMember()
    const answer = await call('POST', '/checkout_sessions', body)
    expect([answer.status, answer.body.error.details.fields[0].field]).toEqual([400, field])
  })

  it('takes versions as everything else, and no caller without a credential', async () => {
    const { call } = await newMember()
    const { id } = await create(call)
    const versions = ['2026-11-15', '2026-04-17', '2020-01-01', 'newest']
    const read = (version: string) => call('GET', `/checkout_sessions/${id}`, undefined, { 'api-version': version })
    expect((await Promise.all(versions.map(read))).map(({ status }) => status)).toEqual([200, 400, 400, 400])
    const nobody = createClient(lab.url)
    for (const [method, path] of [
      ['POST', '/checkout_sessions'],
      ['GET', '/checkout_sessions'],
      ['GET', `/checkout_sessions/${id}`],
      ['POST', `/checkout_sessions/${id}/complete`],
      ['POST', `/checkout_sessions/${id}/cancel`],
    ] as const) {
      const answer = await nobody(method, path)
      expect([answer.status, answer.headers.has('www-authenticate')], path).toEqual([401, true])
    }
  })

  it('is nobody else’s', async () => {
    const [{ call }, eve] = [await newMember(), await newMember()]
    const { id } = await create(call)
    for (const [method, path] of [
      ['GET', `/checkout_sessions/${id}`],
      ['POST', `/checkout_sessions/${id}/complete`],
      ['POST', `/checkout_sessions/${id}/cancel`],
    ] as const) {
      expect((await eve.call(method, path)).body.error.code, path).toBe('not_found')
      expect((await lab.call(method, path)).body.error.code, 'an operator is no owner').toBe('not_found')
    }
    expect((await call('GET', `/checkout_sessions/${id}`)).body.status).toBe('open')
  })

  it('is listed for its account, newest first, page by page', async () => {
    const [{ call }, eve] = [await newMember(), await newMember()]
    const older = await create(call)
    const newer = (await call('POST', '/api/v1/credits/checkout', { pack_id: 'credits_10' })).body
    const replacing = await create(call)
    const first = (await call('GET', '/checkout_sessions?limit=2')).body
    expect([first.items[0].id, first.has_more, first.total_count]).toEqual([replacing.id, true, 3])
    const second = (await call('GET', `/checkout_sessions?limit=2&cursor=${first.next_cursor}`)).body
    const all = [...first.items, ...second.items]
    const shown = Object.fromEntries(all.map(({ id, name, interval, status }) => [id, [name, interval, status]]))
    expect(shown).toEqual({
      [older.id]: ['Pro', 'month', 'cancelled'],
      [newer.id]: ['10 drills', 'once', 'open'],
      [replacing.id]: ['Pro', 'month', 'open'],
    })
    expect(all.every(({ payment_url, id }) => payment_url === `${lab.url}/checkout/${id}`)).toBe(true)
    expect((await eve.call('GET', '/checkout_sessions')).body).toMatchObject({ items: [], total_count: 0 })
    const foreign = await eve.call('GET', `/checkout_sessions?limit=2&cursor=${first.next_cursor}`)
    expect([foreign.status, foreign.body.error.code]).toEqual([400, 'invalid_request'])
  })

  it('is not completed by asking, is cancelled once and for all, and is paid all the same when the money came', async () => {
    const { call } = await newMember()
    const checkout = await create(call)
    const path = `/checkout_sessions/${checkout.id}`
    const verb = async (name: string) => {
      const { status, body } = await call('POST', `${path}/${name}`)
      return [status, body.error?.code ?? body.status]
    }
    expect(await verb('complete')).toEqual([400, 'payment_not_confirmed'])
    expect([await verb('cancel'), await verb('cancel'), await verb('complete')]).toEqual([
      [200, 'cancelled'],
      [200, 'cancelled'],
      [400, 'checkout_not_open'],
    ])
    expect((await report(paidEvent(checkout))).status).toBe(200)
    expect([await verb('complete'), await verb('complete'), await verb('cancel')]).toEqual([
      [200, 'completed'],
      [200, 'completed'],
      [400, 'checkout_not_open'],
    ])
    const { body } = await call('GET', path)
    expect(body.payment_status).toBe('paid')
    const me = (await call('GET', '/api/v1/auth/me')).body
    expect([me.plan, me.credits, Date.parse(me.plan_ends_at) > Date.now()]).toEqual(['pro_monthly', 0, true])
  })

  it('is open for a while only', async () => {
    const { call } = await newMember()
    const { id } = await create(call)
    inStore((store) => store.prepare('update checkout set expires_at = ? where id = ?').run('2026-01-01T00:00:00.000Z', id))
    expect((await call('GET', `/checkout_sessions/${id}`)).body.status).toBe('expired')
    expect((await call('POST', `/checkout_sessions/${id}/cancel`)).body.error.code).toBe('checkout_not_open')
  })
})

describe('a repeated request', () => {
  it('creates one session, also when all come at once, and another body is refused', async () => {
    const { call } = await newMember()
    const key = { 'idempotency-key': randomUUID() }
    const ask = (plan_id = 'pro_monthly') => call('POST', '/checkout_sessions', { plan_id }, key)
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask()))
    const created = answers.filter(({ status }) => status === 201)
    expect(new Set(created.map(({ body }) => body.id)).size).toBe(1)
    expect(answers.every(({ status }) => [201, 409].includes(status))).toBe(true)
    const again = await ask()
    expect([again.body.id, again.headers.get('idempotent-replayed')]).toEqual([created[0]?.body.id, 'true'])
    expect((await ask('founding_pass')).body.error.code).toBe('idempotency_key_reused')
  })

  it('whose server died before it had answered finds the session that it had created', async () => {
    const { call, accountId } = await newMember()
    const key = { 'idempotency-key': randomUUID() }
    const ask = () => call('POST', '/checkout_sessions', { plan_id: 'pro_monthly' }, key)
    const first = await ask()
    inStore((store) =>
      store.prepare("update request set status = null, body = null, boot_id = 'another' where account_id = ?").run(accountId),
    )
    const again = await ask()
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true'])
    const pack = { pack_id: 'credits_10' }
    const packKey = { 'idempotency-key': randomUUID() }
    const bought = await call('POST', '/api/v1/credits/checkout', pack, packKey)
    inStore((store) =>
      store.prepare("update request set status = null, body = null, boot_id = 'another' where account_id = ?").run(accountId),
    )
    expect((await call('POST', '/api/v1/credits/checkout', pack, packKey)).body).toEqual(bought.body)
  })
})

describe('a webhook', () => {
  const send = (body: Buffer | string, headers: Record<string, string>, provider = 'local') =>
    sender.send({ method: 'POST', path: `/webhooks/${provider}`, headers: { 'content-type': 'application/json', ...headers }, body })

  it('changes nothing unless these very bytes are signed, now', async () => {
    const { call } = await newMember()
    const checkout = await create(call)
    const body = Buffer.from(JSON.stringify(paidEvent(checkout)))
    const signature = signer.sign(body)
    const later = (minutes: number) => signer.sign(body, new Date(Date.now() + minutes * 60_000))
    const bad: [string, Buffer, Record<string, string>][] = [
      ['unsigned', body, {}],
      ['signed by another', body, { [signatureHeader]: `${signature.slice(0, -4)}0000` }],
      ['stale', body, { [signatureHeader]: later(-6) }],
      ['of the future', body, { [signatureHeader]: later(6) }],
      ['truncated', body.subarray(0, -1), { [signatureHeader]: signature }],
      ['longer', Buffer.concat([body, Buffer.from(' ')]), { [signatureHeader]: signature }],
      ['encoded anew', Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 1)), { [signatureHeader]: signature }],
      ['of another checkout', Buffer.from(body.toString().replace(checkout.id, '0000000000000000')), { [signatureHeader]: signature }],
      ['empty', Buffer.alloc(0), { [signatureHeader]: signature }],
    ]
    for (const [what, bytes, headers] of bad) {
      const { status, text } = await send(bytes, headers)
      expect([status, JSON.parse(text).error.code], what).toEqual([400, 'invalid_signature'])
    }
    expect((await call('GET', `/checkout_sessions/${checkout.id}`)).body.payment_status).toBe('unpaid')
    expect((await send(body, { [signatureHeader]: signature })).status).toBe(200)
    expect((await call('GET', `/checkout_sessions/${checkout.id}`)).body.payment_status).toBe('paid')
  })

  it('is a POST of JSON, of a bounded size, to a provider that is in use', async () => {
    const codeOf = ({ status, text }: { status: number; text: string }) => [status, JSON.parse(text).error.code]
    expect(codeOf(await send('{}', {}, 'stripe'))).toEqual([404, 'not_found'])
    expect(codeOf(await send('{}', {}, 'x'.repeat(100)))).toEqual([400, 'invalid_request'])
    expect(codeOf(await send('{}', { 'content-type': 'text/plain' }))).toEqual([415, 'unsupported_media_type'])
    expect(codeOf(await send('{}', { 'content-encoding': 'gzip' }))).toEqual([415, 'unsupported_media_type'])
    expect(codeOf(await send('x'.repeat(2 ** 20 + 1), {}))).toEqual([413, 'payload_too_large'])
    expect((await sender.send({ method: 'GET', path: '/webhooks/local' })).status).toBe(405)
  })

  it('may come a thousand times, and changes the state once', async () => {
    const { call } = await newMember()
    const { body: checkout } = await call('POST', '/api/v1/credits/checkout', { pack_id: 'credits_50' })
    const request = signer.requestFor(paidEvent(checkout))
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => sender.send(request)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const { body } = await call('GET', '/api/v1/credits')
    expect([body.balance, body.total_count, body.items[0].reason]).toEqual([50, 1, 'purchase'])
    const count = (sql: string) => inStore((store) => Number(Object.values(store.prepare(sql).get(checkout.id) ?? {})[0]))
    expect(count("select count(*) from checkout_history where event = 'paid' and checkout_id = ?")).toBe(1)
    expect((await call('GET', '/api/v1/auth/me')).body.credits).toBe(50)
  })

  it('that names another price pays nothing, and the operator is told of it', async () => {
    const { call } = await newMember()
    const check = () => runLab(['payments', 'check', '--data', lab.dataDir], payments)
    const checkout = await create(call, 'founding_pass')
    const event = paidEvent(checkout, { amount: 1 })
    expect((await report(event)).status).toBe(200)
    expect((await call('GET', `/checkout_sessions/${checkout.id}`)).body.payment_status).toBe('unpaid')
    const { code, stdout } = await check()
    expect(code).toBe(1)
    expect(stdout.split('\n')[0]).toMatch(/^difference +checkout +reference +what$/)
    expect(stdout).toContain(checkout.id)
  })
})

describe('credits', () => {
  it('are bought as plans are, and read and cancelled in the same place', async () => {
    const { call } = await newMember()
    const { status, body } = await call('POST', '/api/v1/credits/checkout', { pack_id: 'credits_10' })
    expect([status, body.pack_id, body.plan_id, body.amount]).toEqual([201, 'credits_10', undefined, 900])
    expect((await call('GET', `/checkout_sessions/${body.id}`)).body).toEqual(body)
    expect((await call('POST', `/checkout_sessions/${body.id}/cancel`)).body.status).toBe('cancelled')
    expect((await call('POST', '/api/v1/credits/checkout', { pack_id: 'pro_monthly' })).body.error.details.fields[0].field).toBe('pack_id')
    expect((await call('GET', '/api/v1/credits')).body).toMatchObject({ balance: 0, items: [], total_count: 0 })
    expect((await createClient(lab.url)('GET', '/api/v1/credits')).status).toBe(401)
  })
})

describe('what is public', () => {
  it('tells how things are paid, and that a plan is needed; there is no document of agentic commerce', async () => {
    const { body } = await createClient(lab.url)('GET', '/api/v1/settings/public')
    expect([body.payments, body.requires_plan]).toEqual(['local', true])
    expect(body.plans.map(({ id }: { id: string }) => id)).toEqual(['pro_monthly', 'founding_pass'])
    expect([body.limits.checkout_minutes, body.limits.sandboxes_per_account_with_plan]).toEqual([30, 5])
    const acp = await createClient(lab.url)('GET', '/.well-known/acp.json')
    expect([acp.status, acp.body.error.code]).toEqual([404, 'not_found'])
  })

  it('nobody is told that a start needs no credential, where a plan is needed', async () => {
    const llms = (await sender.send({ method: 'GET', path: '/llms.txt' })).text
    expect(llms).toContain('MCP needs the token of an account with a plan or credits')
    const { client, close } = await connectAgent(lab.url, ways[0])
    expect(client.getInstructions()).toContain('A start needs an account with a plan or credits')
    await close()
  })

  it('a token opens no billing pages', async () => {
    const { call } = await newMember()
    expect((await call('POST', '/api/v1/auth/billing')).body.error.code).toBe('forbidden')
  })
})
