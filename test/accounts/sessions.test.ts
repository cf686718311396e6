// Browser sessions of the operator and of others: sign-in by a one-time link, CSRF, tokens, other sessions, logout, roles, deletion.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createBrowserSessions } from '../../src/accounts/browser-sessions.ts'
import { createSecret } from '../../src/accounts/secrets.ts'
import { readConfig } from '../../src/config.ts'
import { type Installation, openInstallation } from '../../src/installation.ts'
import { createMember } from '../support/accounts.ts'
import { ask, type Browser, openBrowser } from '../support/browser.ts'
import { inChromium } from '../support/chromium.ts'
import { createClient, type Lab, runLab, smallCatalog, startLab } from '../support/server.ts'
import { connectTerminal } from '../support/terminal.ts'

const api = (path: string) => `/api/v1${path}`
const mostTokens = 6

let lab: Lab
let inside: Installation
let operator: Browser

/** A one-time link, as it is printed. */
const linkIn = (text: string): URL => new URL(/: (http\S+\/signin#\S+)/.exec(text)?.[1] as string)
const codeOf = (link: URL) => link.hash.slice(1)
const newLink = async () => linkIn((await runLab(['signin', '--data', lab.dataDir])).stdout)
const signInBy = async (link: URL): Promise<Browser> => {
  const browser = openBrowser(lab.url)
  expect((await browser.call('POST', api('/auth/local'), { code: codeOf(link) })).status).toBe(200)
  return browser
}
/** Somebody who is not an operator, signed in. */
const signInMember = async (): Promise<{ browser: Browser; accountId: string; token: string }> => {
  const { accountId, token } = await createMember(inside)
  const { store, clock } = inside
  const limits = { browserSessionDays: 30, browserSessionIdleDays: 7 }
  const { value } = await createBrowserSessions({ store: store.browserSessions, clock, limits }).open(accountId, 'curl/8')
  const browser = openBrowser(lab.url)
  browser.cookies().set('lab_session', { value, path: '/', attributes: '' })
  return { browser, accountId, token }
}
const start = (browser: Browser) => browser.call('POST', api('/sandbox/start'), { course_id: 'scenario-01' })

/** Rows of any table that hold this value. */
const rowsWith = (value: string): unknown[] => {
  const store = new DatabaseSync(join(lab.dataDir, 'lab.sqlite'), { timeout: 5_000 })
  const tables = store.prepare("select name from sqlite_master where type = 'table'").all() as { name: string }[]
  const rows = tables.flatMap(({ name }) => store.prepare(`select * from "${name}"`).all())
  store.close()
  return rows.filter((row) => Object.values(row).includes(value))
}

beforeAll(async () => {
  lab = await startLab({ ...smallCatalog, LAB_ACCOUNT_TOKENS: String(mostTokens), LAB_ACCOUNT_SANDBOXES: '3' })
  inside = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
  operator = await signInBy(await newLink())
})
afterAll(async () => {
  await inside?.store.close()
  await lab?.close()
})

describe('the link of the operator', () => {
  it('is printed by up after the ready line, and signs in', async () => {
    await expect.poll(() => lab.server.log()).toContain('/signin#')
    const [ready, link] = lab.server
      .log()
      .split('\n')
      .filter((line) => line.includes('http'))
    expect(ready).toBe(`Incident Lab is ready at ${lab.url}`)
    const browser = await signInBy(linkIn(link as string))
    const me = (await browser.call('GET', api('/auth/me'))).body
    const { accountId: id } = await inside.accounts.operator()
    expect(me).toMatchObject({ id, name: 'Operator', role: 'operator', providers: ['local'], email: null, plan: null, credits: null })
  })

  it('is used once, and only by the button: the page and its preview send nothing', async () => {
    const link = await newLink()
    const page = await ask(link, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers['referrer-policy'], page.headers['set-cookie']]).toEqual([200, 'no-referrer', undefined])
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; /)
    const uses = await Promise.all([1, 2, 3].map(() => openBrowser(lab.url).call('POST', api('/auth/local'), { code: codeOf(link) })))
    expect(uses.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    const refused = uses.find(({ status }) => status === 400)
    expect([refused?.body.error.code, refused?.headers['set-cookie']]).toEqual(['sign_in_failed', undefined])
  })

  it('takes over the page of one that failed, and the page says who is signed in, and signs out', async () => {
    const [first, second] = [await newLink(), await newLink()]
    await openBrowser(lab.url).call('POST', api('/auth/local'), { code: codeOf(first) })
    await inChromium(first.href, {}, async ({ page, foreign }) => {
      await page.getByRole('button', { name: 'Sign in as the operator' }).click()
      await page.getByText(/^This sign-in link has been used, or is too old/).waitFor()
      await page.goto(second.href)
      await expect.poll(() => page.getByRole('alert').count()).toBe(0)
      expect(page.url()).toBe(`${lab.url}/signin`)
      await page.getByRole('button', { name: 'Sign in as the operator' }).click()
      await page.waitForURL(`${lab.url}/`)
      await page.goto(`${lab.url}/signin`)
      await page.getByText('You are signed in as Operator.').waitFor()
      expect(await page.getByText('./lab signin').count()).toBe(0)
      await page.locator('main').getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('the one who runs it signs in with a one-time link').waitFor()
      expect(foreign).toEqual([])
    })
  })

  it('is too old after some minutes', async () => {
    const link = await newLink()
    const store = new DatabaseSync(join(lab.dataDir, 'lab.sqlite'), { timeout: 5_000 })
    store.exec("update sign_in set expires_at = '2026-01-01T00:00:00.000Z' where used_at is null")
    store.close()
    const late = await operator.call('POST', api('/auth/local'), { code: codeOf(link) })
    expect(late.body.error.code).toBe('sign_in_failed')
  })

  it('signs nobody in from another page', async () => {
    const link = await newLink()
    const body = JSON.stringify({ code: codeOf(link) })
    for (const from of [{ 'sec-fetch-site': 'cross-site', origin: lab.url }, { origin: 'https://evil.example' }, { origin: 'null' }]) {
      const headers = { 'content-type': 'application/json', ...from } as Record<string, string>
      const answer = await ask(new URL(api('/auth/local'), lab.url), { method: 'POST', headers, body })
      expect([answer.status, answer.body.error?.code, answer.headers['set-cookie']]).toEqual([403, 'cross_site_request', undefined])
    }
  })

  it('needs a server that runs', async () => {
    const { code, stdout, stderr } = await runLab(['signin', '--data', join(lab.dataDir, 'none')])
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^lab: nothing serves .*\n$/)])
  })
})

const methods = ['GET', 'POST', 'DELETE'] as const
const credentials = ['cookie', 'cookie and token', 'token'] as const
const sites = [undefined, 'same-origin', 'none', 'same-site', 'cross-site'] as const
const origins = [undefined, 'own', 'https://evil.example', 'null'] as const
const types = ['application/json', 'text/plain', 'application/x-www-form-urlencoded'] as const
type Cell = [
  (typeof methods)[number],
  (typeof credentials)[number],
  (typeof sites)[number],
  (typeof origins)[number],
  (typeof types)[number],
]

const matrix = methods.flatMap((method) =>
  credentials.flatMap((credential) =>
    sites.flatMap((site) =>
      origins.flatMap((origin) =>
        (method === 'GET' ? types.slice(0, 1) : types).map((type): Cell => [method, credential, site, origin, type]),
      ),
    ),
  ),
)

describe('CSRF: a write with a cookie comes from our own pages, in JSON', () => {
  it.each(matrix)('%s, %s, Sec-Fetch-Site: %s, Origin: %s, %s', async (method, credential, site, origin, type) => {
    const path = method === 'GET' ? '/auth/tokens' : method === 'POST' ? '/sandbox/stop' : '/auth/tokens'
    const body = method === 'GET' ? undefined : JSON.stringify(method === 'POST' ? { session_id: 'none' } : { token_id: 'none' })
    const answer = await ask(new URL(api(path), lab.url), {
      method,
      headers: {
        ...(credential === 'token' ? {} : { cookie: operator.cookieHeader() }),
        ...(credential === 'cookie' ? {} : { authorization: `Bearer ${lab.token}` }),
        ...(site === undefined ? {} : { 'sec-fetch-site': site }),
        ...(origin === undefined ? {} : { origin: origin === 'own' ? lab.url : origin }),
        ...(method === 'GET' ? {} : { 'content-type': type }),
      },
      ...(body === undefined ? {} : { body }),
    })
    const isTyped = site === 'none'
    const isOwn = site === 'same-origin' || (origin === 'own' ? site === undefined || isTyped : origin === undefined && isTyped)
    const isRefused = method !== 'GET' && credential === 'cookie' && !isOwn
    const reached = method === 'GET' ? 200 : type === 'application/json' ? 404 : 415
    expect(answer.status).toBe(isRefused ? 403 : reached)
    if (isRefused) expect(answer.body.error.code).toBe('cross_site_request')
  })
})

describe('a request with a cookie', () => {
  it('is refused when the session has ended, and the cookie is cleared; public reads go on', async () => {
    for (const value of [createSecret(), 'nonsense']) {
      const headers = { cookie: `lab_session=${value}` }
      const me = await ask(new URL(api('/auth/me'), lab.url), { headers })
      expect([me.status, me.headers['www-authenticate']]).toEqual([401, expect.stringContaining('Bearer resource_metadata=')])
      const health = await ask(new URL(api('/health'), lab.url), { headers })
      for (const { headers: sent } of [me, health])
        expect(sent['set-cookie']).toEqual([expect.stringMatching(/^lab_session=; .*Max-Age=0/)])
      expect(health.status).toBe(200)
    }
  })

  it('leaves nothing in a cache that is shared: neither what is its own, nor a cookie that would sign others out', async () => {
    const bundle = /src="(\/docs\/[^"]+\.js)"/.exec((await ask(new URL('/docs', lab.url), {})).text)?.[1] as string
    const stale = { cookie: 'lab_session=nonsense' }
    for (const path of ['/docs', bundle, '/openapi.json', api('/courses'), api('/health'), '/nothing']) {
      for (const headers of [stale, { ...stale, 'if-none-match': '*' }] as Record<string, string>[]) {
        const cleared = await ask(new URL(path, lab.url), { headers })
        expect([path, cleared.headers['set-cookie']?.length, cleared.headers['cache-control']]).toEqual([path, 1, 'no-store'])
      }
      const kept = await ask(new URL(path, lab.url), { headers: { cookie: operator.cookieHeader() } })
      if (/docs|openapi|courses/.test(path)) expect(kept.headers['cache-control']).toMatch(/^public/)
    }
    for (const path of ['/auth/me', '/auth/tokens', '/auth/sessions', '/sandbox', '/operator/sandboxes']) {
      expect((await operator.call('GET', api(path))).headers['cache-control']).toBe('no-store')
      expect((await lab.call('GET', api(path))).headers.get('cache-control')).toBe('no-store')
    }
  })

  it('is beaten by a bearer token, right or wrong', async () => {
    const { browser, accountId, token } = await signInMember()
    const other = await browser.call('GET', api('/auth/me'), undefined, { authorization: `Bearer ${lab.token}` })
    expect(other.body.role).toBe('operator')
    expect((await browser.call('GET', api('/auth/me'), undefined, { authorization: 'Bearer wrong' })).status).toBe(401)
    expect((await browser.call('GET', api('/auth/me'), undefined, { authorization: `Bearer ${token}` })).body.id).toBe(accountId)
  })

  it('runs batches as its account, atomic ones too', async () => {
    const { browser } = await signInMember()
    const requests = [
      { method: 'GET', path: '/sandbox' },
      { method: 'POST', path: '/sandbox/stop', body: { session_id: 'none' } },
    ]
    const { status, body } = await browser.call('POST', api('/batch'), { requests })
    expect([status, body.responses.map((item: { status: number }) => item.status)]).toEqual([200, [200, 404]])
    const atomic = { mode: 'atomic', requests: [{ method: 'POST', path: '/sandbox/start', body: { course_id: 'scenario-01' } }] }
    const started = (await browser.call('POST', api('/batch'), atomic)).body.responses[0]
    expect(started.status).toBe(200)
    const own = (await browser.call('GET', api('/sandbox'))).body.items
    expect(own.map(({ id }: { id: string }) => id)).toEqual([started.body.id])
    await browser.call('POST', api('/sandbox/stop'), { session_id: started.body.session_id })
  })

  it('opens a terminal without a token, from our own page only', async () => {
    const { browser } = await signInMember()
    const { session_id } = (await start(browser)).body
    const hello = { session_id, columns: 80, rows: 24 }
    const terminal = await connectTerminal(lab.url, { cookie: browser.cookieHeader(), origin: lab.url })
    terminal.control(hello)
    await terminal.hears('ready')
    terminal.type('echo $((6 * 7))\r')
    await terminal.sees(/42/)
    terminal.socket.close(1000)
    for (const headers of [{ cookie: browser.cookieHeader() }, { origin: lab.url }, { cookie: operator.cookieHeader(), origin: lab.url }]) {
      const refused = await connectTerminal(lab.url, headers as Record<string, string>)
      refused.control(hello)
      await refused.closed
      expect(refused.errorCode()).toBe('cookie' in headers && 'origin' in headers ? 'not_found' : 'unauthorized')
    }
    await browser.call('POST', api('/sandbox/stop'), { session_id })
  })
})

describe('sessions', () => {
  it('are listed, ended by their owner, and gone at once', async () => {
    const [one, two, three] = [await signInBy(await newLink()), await signInBy(await newLink()), await signInBy(await newLink())]
    const list = async (of: Browser) => (await of.call('GET', api('/auth/sessions'))).body.items
    const items = await list(one)
    expect(items.filter((item: { is_current: boolean }) => item.is_current)).toHaveLength(1)
    expect(items[0]).toEqual({
      browser_session_id: expect.stringMatching(/^[0-9a-z]{16}$/),
      is_current: expect.any(Boolean),
      user_agent: 'Firefox on Linux',
      created_at: expect.any(String),
      last_used_at: expect.any(String),
      expires_at: expect.any(String),
    })
    const current = (await list(two)).find((item: { is_current: boolean }) => item.is_current).browser_session_id
    const { browser: stranger } = await signInMember()
    const foreign = await stranger.call('DELETE', api('/auth/sessions'), { browser_session_id: current })
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'not_found'])
    const ended = await one.call('DELETE', api('/auth/sessions'), { browser_session_id: current })
    expect(ended.body.items).toEqual([{ browser_session_id: current, ended_at: expect.any(String) }])
    expect((await two.call('GET', api('/auth/me'))).status).toBe(401)
    expect((await three.call('GET', api('/auth/me'))).status).toBe(200)
    await one.call('DELETE', api('/auth/sessions'), { others: true })
    expect((await three.call('GET', api('/auth/me'))).status).toBe(401)
    expect(await list(one)).toHaveLength(1)
    operator = one
    for (const body of [{}, { others: false }, { others: true, browser_session_id: current }]) {
      expect((await one.call('DELETE', api('/auth/sessions'), body)).status).toBe(400)
    }
  })

  it('end with the logout, which ends no other and no token; a stolen cookie is worth nothing then', async () => {
    const browser = await signInBy(await newLink())
    const cookie = browser.cookieHeader()
    const { status, headers } = await browser.call('POST', api('/auth/logout'))
    expect([status, headers['set-cookie']]).toEqual([200, [expect.stringMatching(/^lab_session=; .*Max-Age=0/)]])
    expect(browser.cookieHeader()).toBe('')
    const stolen = await ask(new URL(api('/auth/me'), lab.url), { headers: { cookie } })
    expect(stolen.status).toBe(401)
    const write = await ask(new URL(api('/auth/logout'), lab.url), { method: 'POST', headers: { cookie, 'sec-fetch-site': 'same-origin' } })
    expect(write.status).toBe(401)
    expect((await operator.call('GET', api('/auth/me'))).status).toBe(200)
    expect((await lab.call('GET', api('/auth/tokens'))).status).toBe(200)
  })

  it('are not of a token: it cannot log out, nor delete the account', async () => {
    for (const [method, path] of [
      ['POST', '/auth/logout'],
      ['DELETE', '/auth/me'],
    ] as const) {
      expect((await lab.call(method, api(path))).body.error.code).toBe('forbidden')
    }
    expect((await lab.call('GET', api('/auth/sessions'))).status).toBe(200)
  })
})

describe('tokens', () => {
  it('are created in a session, shown once, used, listed and revoked at once', async () => {
    const { browser, accountId } = await signInMember()
    const created = await browser.call('POST', api('/auth/tokens'), { name: ' laptop ', duration_days: 7 })
    const { token, api_token } = created.body
    expect([created.status, token]).toEqual([201, expect.stringMatching(/^ilab_pat_[0-9A-Za-z]{38}$/)])
    expect(api_token).toMatchObject({ name: 'laptop', last_four: token.slice(-4), last_used_at: null })
    expect(Date.parse(api_token.expires_at) - Date.parse(api_token.created_at)).toBe(7 * 24 * 3_600_000)
    const call = createClient(lab.url, token)
    expect((await call('GET', api('/auth/me'))).body.id).toBe(accountId)
    const listed = (await browser.call('GET', api('/auth/tokens'))).body.items
    expect(listed.find(({ id }: { id: string }) => id === api_token.id).last_used_at).not.toBeNull()
    expect(JSON.stringify(listed)).not.toContain(token)
    expect((await call('POST', api('/auth/tokens'), { name: 'x' })).body.error.code).toBe('forbidden')
    expect((await browser.call('DELETE', api('/auth/tokens'), { token_id: api_token.id })).status).toBe(200)
    expect((await call('GET', api('/auth/me'))).status).toBe(401)
  })

  it('are so many and no more', async () => {
    const { browser } = await signInMember() // has one
    const made = await Promise.all(Array.from({ length: mostTokens }, () => browser.call('POST', api('/auth/tokens'), { name: 'x' })))
    expect(made.map(({ status }) => status).sort()).toEqual([...Array(mostTokens - 1).fill(201), 409])
    expect(made.find(({ status }) => status === 409)?.body.error.code).toBe('token_limit_reached')
  })

  it('are not created twice by a repeated request, nor shown twice, also when the answer was lost', async () => {
    const { browser } = await signInMember()
    const key = { 'idempotency-key': randomUUID() }
    const create = () => browser.call('POST', api('/auth/tokens'), { name: 'x' }, key)
    const first = await create()
    const store = new DatabaseSync(join(lab.dataDir, 'lab.sqlite'), { timeout: 5_000 })
    try {
      for (const change of ['', 'update request set body = null', 'update request set status = null']) {
        if (change !== '') store.exec(change)
        const again = await create()
        expect([again.status, again.body.error.code]).toEqual([409, 'token_already_issued'])
        expect(again.body.error.details.api_token).toMatchObject({ id: first.body.api_token.id, last_four: first.body.token.slice(-4) })
        expect(again.text).not.toContain(first.body.token)
      }
      const kept = store.prepare('select body from request').all()
      expect(JSON.stringify(kept)).not.toContain('ilab_pat_')
    } finally {
      store.close()
    }
    expect((await browser.call('GET', api('/auth/tokens'))).body.items).toHaveLength(2)
  })
})

describe('roles', () => {
  it('let operators see and end sandboxes of everybody, and members only their own', async () => {
    const { browser, accountId } = await signInMember()
    const { id, session_id } = (await start(browser)).body
    const all = (await operator.call('GET', api('/operator/sandboxes'))).body.items
    expect(all).toContainEqual(expect.objectContaining({ id, account_id: accountId, status: 'running', course_id: 'scenario-01' }))
    expect(JSON.stringify(all)).not.toContain(session_id)
    const detail = (await operator.call('GET', api('/operator/capacity'))).body
    expect(detail).toMatchObject({ by_account: { [accountId]: 1 }, capacity: { in_use: expect.any(Number) } })
    const { browser: other } = await signInMember()
    for (const [method, path] of [
      ['GET', '/operator/sandboxes'],
      ['GET', '/operator/capacity'],
      ['DELETE', `/operator/sandboxes/${id}`],
    ] as const) {
      const refused = await other.call(method, api(path))
      expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden'])
    }
    expect((await other.call('GET', api(`/sandbox/${id}`))).status).toBe(404)
    expect((await operator.call('GET', api(`/sandbox/${id}`))).status).toBe(404)
    const ended = await lab.call('DELETE', api(`/operator/sandboxes/${id}`))
    expect([ended.status, ended.body.status, ended.body.termination_reason]).toEqual([200, 'terminated', 'stopped'])
    expect((await browser.call('GET', api(`/sandbox/${id}`))).body.status).toBe('terminated')
    expect((await lab.call('DELETE', api('/operator/sandboxes/none'))).status).toBe(404)
  })
})

describe('a deleted account', () => {
  it('leaves no sandbox, session, token, identity, evaluation or recording', async () => {
    const { browser, accountId, token } = await signInMember()
    const { id, session_id } = (await start(browser)).body
    await browser.call('POST', api('/sandbox/exec'), { session_id, command: 'echo recorded' })
    const cookie = browser.cookieHeader()
    const answer = await browser.call('DELETE', api('/auth/me'))
    expect(answer.body).toEqual({ id: accountId, deleted_at: expect.any(String), ended_sandboxes: 1 })
    expect(browser.cookieHeader()).toBe('')
    expect((await ask(new URL(api('/auth/me'), lab.url), { headers: { cookie } })).status).toBe(401)
    expect((await createClient(lab.url, token)('GET', api('/sandbox'))).status).toBe(401)
    expect((await inside.engine.list()).map((sandbox) => sandbox.id)).not.toContain(id)
    expect(rowsWith(accountId)).toEqual([])
  })
})

describe('an account that is deleted while requests are under way', () => {
  /** A request whose body comes later, when it is let go: it is authenticated by then. */
  const hold = async (path: string, headers: Record<string, string>, body: object) => {
    const text = JSON.stringify(body)
    const length = { 'content-type': 'application/json', 'content-length': String(text.length) }
    const sent = request(new URL(api(path), lab.url), { method: 'POST', headers: { ...headers, ...length } })
    const answer = once(sent, 'response').then(async ([response]: IncomingMessage[]) => {
      const parts = await (response as IncomingMessage).toArray()
      return { status: response?.statusCode, text: Buffer.concat(parts).toString() }
    })
    sent.write(text.slice(0, 1))
    await setTimeout(300)
    return () => {
      sent.end(text.slice(1))
      return answer
    }
  }

  it('is unknown to them too, and nothing of it is made again', async () => {
    const { browser, accountId, token } = await signInMember()
    const cookie = { cookie: browser.cookieHeader(), 'sec-fetch-site': 'same-origin' }
    const bearer = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' }
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'start_drill', arguments: {} } }
    const held = await Promise.all([
      hold('/auth/tokens', cookie, { name: 'late' }),
      hold('/auth/tokens', { ...cookie, 'idempotency-key': randomUUID() }, { name: 'late' }),
      hold('/sandbox/start', { ...bearer, 'idempotency-key': randomUUID() }, { course_id: 'scenario-01' }),
      hold('/sandbox/start', bearer, { course_id: 'scenario-01', async: true }),
      hold('/mcp', bearer, call),
    ])
    expect((await browser.call('DELETE', api('/auth/me'))).status).toBe(200)
    const answers = await Promise.all(held.map((letGo) => letGo()))
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 200])
    for (const { text } of answers) expect(text.replaceAll('\\', '')).toContain('"code":"unauthorized","message":"the account was deleted"')
    expect(lab.server.log()).not.toContain('FOREIGN KEY')
    expect(rowsWith(accountId)).toEqual([])
  })
})

describe('what there is not', () => {
  beforeEach(() => expect(lab.url).toMatch(/^http:\/\/localhost:/))

  it.each(['github', 'google'])('%s is not set up: a page for people, JSON for programs, and the settings say so', async (name) => {
    for (const path of [`/auth/${name}`, `/auth/${name}/callback?code=x&state=y`]) {
      const json = await createClient(lab.url)('GET', api(path))
      expect([json.status, json.body.error.code]).toEqual([404, 'not_found'])
      const page = await openBrowser(lab.url).visit(api(path))
      expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
      expect(page.text).toContain('is not set up on this server')
    }
    const { body } = await createClient(lab.url)('GET', api('/settings/public'))
    expect(body.sign_in).toEqual({ github: false, google: false, local: true })
  })

  it.each([
    ['POST', '/api/v1/auth/token'],
    ['GET', '/api/v1/auth/token'],
    ['POST', '/auth/token'],
    ['POST', '/token'],
    ['POST', '/oauth/token'],
    ['POST', '/register'],
    ['POST', '/api/v1/register'],
    ['POST', '/api/v1/auth/register'],
    ['GET', '/authorize'],
    ['GET', '/.well-known/oauth-authorization-server'],
    ['GET', '/.well-known/oauth-authorization-server/api/v1'],
    ['GET', '/.well-known/openid-configuration'],
    ['GET', '/.well-known/jwks.json'],
    ['POST', '/api/v1/auth/anonymous'],
    ['POST', '/api/v1/auth/trial'],
    ['POST', '/api/v1/auth/assertion'],
  ])('%s %s is a JSON 404', async (method, path) => {
    for (const headers of [{}, { accept: 'text/html' }, { cookie: operator.cookieHeader(), 'sec-fetch-site': 'same-origin' }]) {
      const answer = await ask(new URL(path, lab.url), { method, headers: headers as Record<string, string> })
      const isPage = path === '/authorize' && 'accept' in headers // a person sees the page that says so
      expect([answer.status, answer.body.error?.code]).toEqual([404, isPage ? undefined : 'not_found'])
    }
  })
})
