// Sign-in with both providers, from the first click to the session, on real OAuth and OpenID Connect servers; and what goes wrong.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { type Installation, openInstallation } from '../../src/installation.ts'
import { ask, type Browser, openBrowser } from '../support/browser.ts'
import {
  clientId,
  clientSecret,
  type IdentityProvider,
  type Person,
  providerSettings,
  startIdentityProvider,
} from '../support/identity-provider.ts'
import { createClient, type Lab, runLab, smallCatalog, startLab } from '../support/server.ts'
import { connectTerminal } from '../support/terminal.ts'

const people = new Map<string, Person>([
  ['ada', { id: 1, name: 'Ada Lovelace', email: 'ada@example.org', isEmailVerified: true }],
  ['eve', { id: 2, name: 'Eve', email: 'ada@example.org', isEmailVerified: true }],
  ['bob', { id: 3, name: 'Bob', email: 'bob@example.org', isEmailVerified: false }],
  ['operator', { id: 4, name: 'Operator', email: 'operator@example.org', isEmailVerified: true }],
  ...Array.from({ length: 30 }, (_, index): [string, Person] => [
    `new-${index}`,
    { id: 100 + index, name: `New ${index}`, email: `new-${index}@example.org`, isEmailVerified: true },
  ]),
])

let lab: Lab
let inside: Installation
let providers: Record<'github' | 'google', IdentityProvider>
let browser: Browser
let fresh = 0
/** All browsers of this suite. */
const browsers: Browser[] = []
const metricsToken = 'a-token-for-the-figures-of-this-server'

beforeAll(async () => {
  providers = { github: await startIdentityProvider(people), google: await startIdentityProvider(people) }
  const settings = { LAB_LOG_LEVEL: 'trace', LAB_METRICS_TOKEN: metricsToken, LAB_EVALUATION_SPACING_SECONDS: '0' }
  lab = await startLab({ ...smallCatalog, ...settings, ...providerSettings(providers.github, providers.google) })
  for (const name of ['github', 'google'] as const) providers[name].serve([`${lab.url}/api/v1/auth/${name}/callback`])
  inside = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
})
afterAll(async () => {
  await inside?.store.close()
  await Promise.all(Object.values(providers ?? {}).map((provider) => provider.close()))
  await lab?.close()
})
beforeEach(() => {
  browser = newBrowser()
})

const newBrowser = (): Browser => {
  const opened = openBrowser(lab.url)
  browsers.push(opened)
  return opened
}
const me = async (of: Browser = browser) => of.call('GET', '/api/v1/auth/me')
/** Somebody whom no provider has sent before. */
const stranger = () => {
  fresh += 1
  return `new-${fresh}`
}
const isCallback = (url: URL) => url.pathname.endsWith('/callback')
const untilCallback = { follows: (url: URL) => !isCallback(url) }
/** Where the provider sends the browser, which has not gone there yet. */
const comeBack = async (name: string, login: string, of: Browser = browser): Promise<URL> => {
  const { url } = await of.signIn(`/api/v1/auth/${name}`, login, untilCallback)
  expect(isCallback(url)).toBe(true)
  return url
}
const visitJson = (url: URL, of: Browser = browser) => ask(url, { headers: { cookie: of.cookieHeader(), 'sec-fetch-site': 'cross-site' } })
/** Nothing was made of a sign-in that failed: no account, no session. */
const expectNobody = async (name: 'github' | 'google', login: string) => {
  expect((await me()).status).toBe(401)
  expect([...browser.cookies().keys()]).not.toContain('lab_session')
  const known = await Promise.all(
    [name].map(async (provider) => {
      const id = String(people.get(login)?.id)
      const probe = { id: 'probe', name: 'probe', role: 'member' as const, created_at: '2026-01-01T00:00:00.000Z' }
      const identity = { provider, subject: id, login: null, email: null, avatar_url: null, created_at: '', last_used_at: '' }
      const found = await inside.store.accounts.findOrCreate(probe, identity)
      await inside.store.accounts.remove(found.id, '2026-01-01T00:00:00.000Z')
      return found.id
    }),
  )
  expect(known).toEqual(['probe'])
}

describe.each(['github', 'google'] as const)('sign-in with %s', (name) => {
  it('leads to the provider with PKCE and state, back, and to where it was asked to', async () => {
    const answer = await browser.visit(`/api/v1/auth/${name}?return_to=/docs%23createToken`, {
      follows: ({ origin }) => origin === lab.url,
    })
    const { searchParams, origin, pathname } = answer.url
    expect([origin, pathname, answer.status]).toEqual([providers[name].url, '/auth', 302])
    expect(Object.fromEntries(searchParams)).toMatchObject({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: `${lab.url}/api/v1/auth/${name}/callback`,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(searchParams.has('nonce')).toBe(name === 'google')
    expect(answer.headers['cache-control']).toBe('no-store')
    const { url, status } = await browser.signIn(answer.url.href, 'ada')
    expect([status, url.pathname, url.hash]).toEqual([200, '/docs', '#createToken'])
    expect((await me()).body).toEqual({
      id: expect.any(String),
      name: 'Ada Lovelace',
      login: name === 'github' ? 'ada' : null,
      email: 'ada@example.org',
      avatar_url: 'https://pictures.example/1',
      providers: [name],
      role: 'member',
      plan: null,
      plan_ends_at: null,
      credits: null,
      created_at: expect.any(String),
    })
    const names = [...browser.cookies()]
    expect(names.map(([cookie]) => cookie)).toEqual(['lab_session'])
    expect(names[0]?.[1].attributes).toBe(`Path=/; HttpOnly; SameSite=Lax; Max-Age=${30 * 24 * 3600}`)
  })

  it('finds the same account again, in another session', async () => {
    await browser.signIn(`/api/v1/auth/${name}`, 'ada')
    const [first, cookie] = [await me(), browser.cookieHeader()]
    await browser.signIn(`/api/v1/auth/${name}`, 'ada')
    expect((await me()).body.id).toBe(first.body.id)
    expect(browser.cookieHeader()).not.toBe(cookie)
    const old = await ask(new URL('/api/v1/auth/me', lab.url), { headers: { cookie } })
    expect([old.status, old.body.error.code]).toEqual([401, 'unauthorized'])
  })

  it('is two sign-ins in two tabs, which both work', async () => {
    const [one, other] = [await comeBack(name, 'ada'), await comeBack(name, 'ada')]
    expect(one.searchParams.get('state')).not.toBe(other.searchParams.get('state'))
    for (const url of [other, one]) {
      expect((await browser.visit(url.href)).status).toBe(200)
      expect((await me()).status).toBe(200)
    }
  })

  it('bounds the sign-ins that a browser has begun', async () => {
    for (let tab = 0; tab < 9; tab += 1) await browser.visit(`/api/v1/auth/${name}`, { follows: () => false })
    expect(browser.cookies().size).toBe(5)
  })

  it.each([
    ['another state', (url: URL) => url.searchParams.set('state', 'A'.repeat(43))],
    ['no state', (url: URL) => url.searchParams.delete('state')],
    ['two states', (url: URL) => url.searchParams.append('state', 'A'.repeat(43))],
    ['no code', (url: URL) => url.searchParams.delete('code')],
    ['another code', (url: URL) => url.searchParams.set('code', 'A'.repeat(43))],
  ])('fails with %s', async (_what, change) => {
    const login = stranger()
    const url = await comeBack(name, login)
    change(url)
    const answer = await visitJson(url)
    expect(answer.status).toBe(400)
    expect(['sign_in_failed', 'invalid_request']).toContain(answer.body.error.code)
    await expectNobody(name, login)
  })

  it('fails without the cookie of the attempt, so without its verifier: in another browser', async () => {
    const login = stranger()
    const url = await comeBack(name, login)
    browser = newBrowser()
    expect((await visitJson(url)).body.error.code).toBe('sign_in_failed')
    await expectNobody(name, login)
  })

  it('fails with the cookie of another attempt', async () => {
    const login = stranger()
    const url = await comeBack(name, login)
    const [[cookie = '', { value }] = ['', { value: '' }]] = [...browser.cookies()]
    await browser.visit(`/api/v1/auth/${name}`, { follows: () => false })
    const others = [...browser.cookies()].filter(([known]) => known !== cookie)
    expect([others.length, value.length > 100]).toEqual([1, true])
    const answer = await ask(url, { headers: { cookie: `${cookie}=${others[0]?.[1].value}` } })
    expect(answer.body.error.code).toBe('sign_in_failed')
    await expectNobody(name, login)
  })

  it("fails with somebody else's code, whose verifier is another one", async () => {
    const login = stranger()
    const stolen = (await comeBack(name, login)).searchParams.get('code') as string
    browser = newBrowser()
    const url = await comeBack(name, 'eve')
    url.searchParams.set('code', stolen)
    expect((await visitJson(url)).body.error.code).toBe('sign_in_failed')
    await expectNobody(name, login)
  })

  it('can be finished once: the same address again, with the same cookie, is refused', async () => {
    const url = await comeBack(name, 'ada')
    const cookie = browser.cookieHeader()
    const both = await Promise.all([1, 2].map(() => ask(url, { headers: { cookie } })))
    expect(both.map(({ status }) => status).sort()).toEqual([302, 400])
    const again = await ask(url, { headers: { cookie } })
    expect(again.body.error.code).toBe('sign_in_failed')
  })

  it('belongs to its provider', async () => {
    const url = await comeBack(name, 'ada')
    const other = name === 'github' ? 'google' : 'github'
    expect((await visitJson(new URL(url.href.replace(`/${name}/`, `/${other}/`)))).body.error.code).toBe('sign_in_failed')
  })

  it('keeps no e-mail that is not verified', async () => {
    await browser.signIn(`/api/v1/auth/${name}`, 'bob')
    expect((await me()).body).toMatchObject({ name: 'Bob', email: null })
  })

  it('makes two accounts of two people with one e-mail', async () => {
    await browser.signIn(`/api/v1/auth/${name}`, 'ada')
    const ada = (await me()).body
    browser = newBrowser()
    await browser.signIn(`/api/v1/auth/${name}`, 'eve')
    const eve = (await me()).body
    expect([ada.email, ada.id === eve.id]).toEqual([eve.email, false])
  })

  it('as somebody called operator makes a member', async () => {
    await browser.signIn(`/api/v1/auth/${name}`, 'operator')
    const { body } = await me()
    expect(body).toMatchObject({ name: 'Operator', role: 'member', providers: [name] })
    expect(body.id).not.toBe((await inside.accounts.operator()).accountId)
    const sandboxes = await browser.call('GET', '/api/v1/operator/sandboxes')
    expect([sandboxes.status, sandboxes.body.error.code]).toEqual([403, 'forbidden'])
  })

  it('that is cancelled at the provider says so, to a person on a page', async () => {
    const page = await browser.visit(`/api/v1/auth/${name}`)
    const abort = /href="([^"]+\/abort)"/.exec(page.text)?.[1] as string
    const answer = await browser.visit(new URL(abort, page.url).href)
    expect([answer.status, answer.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8'])
    expect(answer.text).toContain('the sign-in was cancelled at')
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
    expect((await me()).status).toBe(401)
  })

  it('with an error of the provider says so, and repeats nothing that could be anything', async () => {
    const url = await comeBack(name, 'ada')
    for (const [code, status, expected] of [
      ['invalid_scope', 400, 'sign_in_failed'],
      ['temporarily_unavailable', 503, 'provider_unavailable'],
      ['<script>alert(1)</script>', 400, 'sign_in_failed'],
    ] as const) {
      const begun = await comeBack(name, 'ada')
      const failed = new URL(url.origin + url.pathname)
      for (const kept of ['state', 'iss'])
        if (begun.searchParams.has(kept)) failed.searchParams.set(kept, begun.searchParams.get(kept) as string)
      failed.searchParams.set('error', code)
      failed.searchParams.set('error_description', '<b>bold</b>')
      const answer = await visitJson(failed)
      expect([answer.status, answer.body.error.code]).toEqual([status, expected])
      expect(answer.text).not.toMatch(/<script|<b>/)
    }
  })

  it('while the provider is down says so, makes nothing, and works afterwards', async () => {
    const login = stranger()
    const url = await comeBack(name, login)
    providers[name].fail()
    const [json, page] = [await visitJson(url), await browser.visit(url.href)]
    expect([json.status, json.body.error.code, Number(json.headers['retry-after']) > 0]).toEqual([503, 'provider_unavailable', true])
    expect(page.status).toBe(400) // the attempt was used up
    providers[name].revive()
    await expectNobody(name, login)
    await browser.signIn(`/api/v1/auth/${name}`, login)
    expect((await me()).body.name).toBe(people.get(login)?.name)
  })

  it.each([
    '//evil.example',
    '/%5Cevil.example',
    '/%2F%2Fevil.example',
    'https://evil.example',
    '/%09/evil.example',
    '/%0d%0aSet-Cookie:%20a=b',
    '%5C%5Cevil.example',
    '/.//evil.example',
    '/@evil.example/..//evil.example',
  ])('goes to no other host: return_to=%s', async (path) => {
    const answer = await ask(new URL(`/api/v1/auth/${name}?return_to=${path}`, lab.url), {})
    expect([answer.status, answer.body.error?.code, answer.headers.location]).toEqual([400, 'invalid_request', undefined])
    const encoded = await ask(new URL(`/api/v1/auth/${name}?return_to=${encodeURIComponent(path)}`, lab.url), {})
    expect([encoded.status, encoded.headers.location]).toEqual([400, undefined])
  })

  it('by another name of this machine goes on under the one that the cookie is for', async () => {
    const answer = await ask(new URL(`/api/v1/auth/${name}?return_to=/docs`, lab.url.replace('localhost', '127.0.0.1')), {})
    expect([answer.status, answer.headers.location]).toEqual([302, `${lab.url}/api/v1/auth/${name}?return_to=/docs`])
  })
})

describe('Google alone', () => {
  it('fails when the nonce of the ID token is another one', async () => {
    const login = stranger()
    const answer = await browser.signIn('/api/v1/auth/google', login, {
      change: (url) => {
        if (url.searchParams.has('nonce')) url.searchParams.set('nonce', 'another nonce than the one that was sent')
      },
    })
    expect([answer.status, answer.url.pathname]).toEqual([400, '/api/v1/auth/google/callback'])
    expect(answer.text).toContain('does not fit this sign-in')
    await expectNobody('google', login)
  })
})

describe('a second provider', () => {
  it('is added by somebody who is signed in, and by nobody else', async () => {
    const login = stranger()
    await browser.signIn('/api/v1/auth/github', login)
    const { id } = (await me()).body
    const cookie = browser.cookieHeader()
    await browser.signIn('/api/v1/auth/google?link=1', login)
    expect((await me()).body).toMatchObject({ id, providers: expect.arrayContaining(['github', 'google']) })
    expect(browser.cookieHeader()).toBe(cookie)
    browser = newBrowser()
    await browser.signIn('/api/v1/auth/google', login)
    expect((await me()).body.id).toBe(id)
  })

  it('is not added without a session, by another page, or in a session that has ended meanwhile', async () => {
    const unsigned = await ask(new URL('/api/v1/auth/github?link=1', lab.url), {})
    expect([unsigned.status, unsigned.body.error.code]).toEqual([401, 'unauthorized'])
    const login = stranger()
    await browser.signIn('/api/v1/auth/github', login)
    const foreign = await visitJson(new URL('/api/v1/auth/google?link=1', lab.url))
    expect([foreign.status, foreign.body.error.code]).toEqual([403, 'forbidden'])
    const untold = await ask(new URL('/api/v1/auth/google?link=1', lab.url), { headers: { cookie: browser.cookieHeader() } })
    expect([untold.status, untold.headers.location, untold.headers['set-cookie']]).toEqual([403, undefined, undefined])
    const { url } = await browser.signIn('/api/v1/auth/google?link=1', login, untilCallback)
    await browser.call('POST', '/api/v1/auth/logout')
    expect((await browser.visit(url.href)).status).toBe(400)
    await expectNobody('google', login)
  })

  it.each([
    ['session ends', '/api/v1/auth/logout', 'POST'],
    ['account is deleted', '/api/v1/auth/me', 'DELETE'],
  ])('is not added when the %s while the provider still answers', async (_what, path, method) => {
    const login = stranger()
    await browser.signIn('/api/v1/auth/github', login)
    const { url } = await browser.signIn('/api/v1/auth/google?link=1', login, untilCallback)
    const asked = providers.google.seen.length
    const letGo = providers.google.hold()
    const answer = visitJson(url)
    await expect.poll(() => providers.google.seen.length).toBeGreaterThan(asked)
    expect((await browser.call(method, path)).status).toBe(200)
    letGo()
    expect([(await answer).status, (await answer).body.error.code]).toEqual([400, 'sign_in_failed'])
    await expectNobody('google', login)
  })

  it('that belongs to another account is refused', async () => {
    const [one, other] = [stranger(), stranger()]
    await browser.signIn('/api/v1/auth/google', one)
    browser = newBrowser()
    await browser.signIn('/api/v1/auth/github', other)
    const { url } = await browser.signIn('/api/v1/auth/google?link=1', one, untilCallback)
    const answer = await visitJson(url)
    expect([answer.status, answer.body.error.code]).toEqual([409, 'identity_in_use'])
    expect((await me()).body.providers).toEqual(['github'])
  })
})

describe('the settings', () => {
  it('say which providers there are', async () => {
    const { body } = await createClient(lab.url)('GET', '/api/v1/settings/public')
    expect(body.sign_in).toEqual({ github: true, google: true, local: true })
    expect((await browser.visit('/signin')).status).toBe(200) // its buttons: test/web/account.test.ts
  })
})

/** Every value of every column of every table. */
const columnsOf = (file: string): string[] => {
  const store = new DatabaseSync(file, { timeout: 5_000 })
  const tables = store.prepare("select name from sqlite_master where type = 'table'").all() as { name: string }[]
  const rows = tables.flatMap(({ name }) => store.prepare(`select * from "${name}"`).all())
  store.close()
  return rows.flatMap((row) => Object.values(row).map(String))
}

/** Files of the data directory as bytes, without the one that holds the secret on purpose. */
const filesOf = async (folder: string): Promise<string> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'secret')
  return (await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')))).join('\n')
}

describe('after all this, and a drill', () => {
  it('no log line, column, file, metric or address has a token, a session id, a cookie or a secret in clear', async () => {
    const login = stranger()
    await browser.signIn('/api/v1/auth/github', login)
    const { token } = (await browser.call('POST', '/api/v1/auth/tokens', { name: 'drill' }, { 'idempotency-key': crypto.randomUUID() }))
      .body
    const call = createClient(lab.url, token)
    const key = { 'idempotency-key': crypto.randomUUID() }
    const accountId = (await me()).body.id
    const { session_id } = (await browser.call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' }, key)).body
    expect((await call('POST', '/api/v1/sandbox/exec', { session_id, command: 'hostname' })).status).toBe(200)
    expect((await call('POST', '/api/v1/sandbox/eval', { session_id })).body.checkpoints).toHaveLength(7)
    const terminal = await connectTerminal(lab.url)
    terminal.control({ session_id, token, columns: 80, rows: 24 })
    await terminal.hears('ready')
    terminal.socket.close(1000)
    await createClient(lab.url, `${token.slice(0, -1)}x`)('GET', '/api/v1/sandbox')
    await fetch(`${lab.url}/api/v1/nothing?token=${token}&session_id=${session_id}`)
    const link = new URL(/http\S+/.exec((await runLab(['signin', '--data', lab.dataDir])).stdout)?.[0] as string)
    await newBrowser().call('POST', '/api/v1/auth/local', { code: link.hash.slice(1) })
    await call('POST', '/api/v1/sandbox/stop', { session_id })
    await browser.call('POST', '/api/v1/auth/logout')

    const callbacks = browsers.flatMap(({ urls }) => urls.filter((url) => url.includes('/callback?')).map((url) => new URL(url)))
    const inCallbacks = callbacks.flatMap(({ searchParams }) => ['code', 'state'].map((name) => searchParams.get(name) ?? ''))
    const installationSecret = (await readFile(join(lab.dataDir, 'secret'), 'utf8')).trim()
    const lasting = [token, lab.token, session_id.split('.')[1], clientSecret, metricsToken, installationSecret, link.hash.slice(1)]
    const cookies = browsers.flatMap(({ cookieValues }) => [...cookieValues])
    const secrets = [...new Set([...lasting, ...cookies, ...inCallbacks])].filter((secret) => secret.length > 8)
    expect([cookies.length > 50 && secrets.length > 100, callbacks.length > 30]).toEqual([true, true])
    const found = (text: string, wanted: readonly string[]) => wanted.filter((secret) => text.includes(secret))

    await expect.poll(() => lab.server.log(), { timeout: 10_000 }).toContain('"route":"/api/v1/auth/logout"')
    const log = lab.server.log()
    const firstLink = /\/signin#(\S+)/.exec(log)?.[1] as string // printed for the person who started the server, not logged
    const lines = log.split('\n').filter((line) => !line.includes('/signin#'))
    expect([lines.length > 200, log.includes(`"account":"${accountId}"`), firstLink.length]).toEqual([true, true, 43])
    expect(found(lines.join('\n'), [...secrets, firstLink])).toEqual([])
    const personal = [...people].flatMap(([name, { email }]) => [email, `"${name}"`])
    expect(found(lines.join('\n'), [...personal, 'Ada Lovelace'])).toEqual([])

    const columns = columnsOf(join(lab.dataDir, 'lab.sqlite'))
    expect([columns.length > 500, columns.includes('ada@example.org')]).toEqual([true, true])
    expect(found(columns.join('\n'), [...secrets, firstLink])).toEqual([])
    expect(found(await filesOf(lab.dataDir), [...secrets, firstLink])).toEqual([])

    const metrics = await (await fetch(`${lab.url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })).text()
    expect(metrics).toContain('route="/api/v1/auth/github/callback"')
    expect(found(metrics, [...secrets, ...personal])).toEqual([])

    const addresses = [...browsers.flatMap(({ urls }) => urls), ...Object.values(providers).flatMap(({ seen }) => seen)].join('\n')
    expect(found(addresses, [...lasting, ...cookies])).toEqual([])
  })
})
