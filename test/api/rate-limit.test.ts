// Rate limits are exact, and callers do not affect each other.

import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSecret } from '../../src/accounts/secrets.ts'
import { createClient, type Lab, startLab, writeRates } from '../support/server.ts'

const rates = { read: 12, write: 5, start: 2, exec: 4, auth: 3 }
const account = { read: 30, write: 6, start: 2, exec: 6, auth: 4 }

let lab: Lab

beforeAll(async () => {
  lab = await startLab({
    LAB_RATE_LIMIT_SCALE: '1',
    LAB_RATES_ANONYMOUS: writeRates(rates),
    LAB_RATES_ACCOUNT: writeRates(account),
    LAB_TRUSTED_PROXIES: '127.0.0.1',
  })
  await fetch(`${lab.url}/openapi.json`) // counted for another address, so that it affects no test
})
afterAll(() => lab?.close())

const from = (address: string) => ({ 'x-forwarded-for': address })
const numbers = (headers: Headers) => ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`)))
const read = (address: string, path = '/api/v1/health') => createClient(lab.url)('GET', path, undefined, from(address))

describe('a caller without an account', () => {
  it('may ask as often as the limit says, and is told how it stands', async () => {
    const seen = []
    for (let count = 0; count < rates.read; count += 1) seen.push(await read('192.0.2.1'))
    expect(seen.map(({ status }) => status)).toEqual(Array(rates.read).fill(200))
    expect(numbers(seen[0]?.headers as Headers).slice(0, 2)).toEqual([rates.read, rates.read - 1])
    expect(seen.map(({ headers }) => numbers(headers)[1])).toEqual(
      seen.map((_, index) => expect.toSatisfy((left) => left >= rates.read - 1 - index)),
    )
    const over = await read('192.0.2.1')
    expect([over.status, over.body.error.code, over.body.error.details]).toEqual([
      429,
      'rate_limited',
      { class: 'read', limit_per_minute: rates.read },
    ])
    const [limit, remaining, reset] = numbers(over.headers)
    expect([limit, remaining]).toEqual([rates.read, 0])
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThanOrEqual(reset as number)
    expect(reset).toBeGreaterThanOrEqual(1)
    expect(reset).toBeLessThanOrEqual(60 / rates.read)
  })

  it('is told apart by address, IPv6 by network, and no forged header helps behind an untrusted proxy', async () => {
    for (let count = 0; count < rates.read; count += 1) await read('2001:db8:1:2::1')
    expect((await read('2001:db8:1:2:ffff::9')).status).toBe(429)
    expect((await read('2001:db8:1:3::1')).status).toBe(200)
    for (let count = 0; count < rates.read; count += 1) await read(`198.51.100.${count}, 192.0.2.3`)
    expect((await read('198.51.100.99, 192.0.2.3')).status).toBe(429)
  })

  it('pays for what is not there, for wrong methods and for documents too', async () => {
    const paths = ['/nothing', '/api/v1/nothing', '/.well-known/nothing', '/openapi.json', '/metrics', '/docs']
    for (const path of paths)
      expect((await fetch(`${lab.url}${path}`, { headers: from('192.0.2.4') })).headers.get('ratelimit-limit')).toBe(String(rates.read))
    await fetch(`${lab.url}/api/v1/health`, { method: 'DELETE', headers: from('192.0.2.4') })
    expect(numbers((await read('192.0.2.4')).headers)[1]).toBeLessThanOrEqual(rates.read - paths.length - 1)
  })

  it('who guesses tokens is stopped by the count of guesses, whatever is asked for', async () => {
    const guess = (count: number) => createClient(lab.url, `ilab_pat_${count}`)('GET', '/api/v1/health', undefined, from('192.0.2.5'))
    const answers = []
    for (let count = 0; count < rates.auth + 1; count += 1) answers.push(await guess(count))
    expect(answers.map(({ status }) => status)).toEqual([...Array(rates.auth).fill(401), 429])
    expect(answers.at(-1)?.body.error).toMatchObject({
      message: 'too many wrong credentials or sign-ins came from your network',
      details: { class: 'auth' },
    })
    expect((await read('192.0.2.5')).status).toBe(200)
  })

  it.each([
    ['cookies', '192.0.2.6', (value: string) => ['GET', '/api/v1/health', { cookie: `lab_session=${value}` }] as const],
    ['links of the operator', '192.0.2.7', (value: string) => ['POST', '/api/v1/auth/local', {}, { code: value }] as const],
    ['callbacks', '192.0.2.8', (value: string) => ['GET', `/api/v1/auth/github/callback?state=${value}&code=${value}`, {}] as const],
    ['sign-ins', '192.0.2.9', () => ['GET', '/api/v1/auth/google', {}] as const],
  ])('who tries many %s is stopped by the count of guesses', async (_what, address, attempt) => {
    const statuses = []
    for (let count = 0; count < rates.auth + 1; count += 1) {
      const [method, path, headers, body] = attempt(createSecret())
      statuses.push((await createClient(lab.url)(method, path, body, { ...headers, ...from(address) })).status)
    }
    expect(statuses.slice(0, -1)).not.toContain(429)
    expect(statuses.at(-1)).toBe(429)
    expect((await read(address)).status).toBe(200)
  })

  it('is told how it stands by every document and every answer', async () => {
    const paths = [
      '/.well-known/mcp.json',
      '/.well-known/oauth-protected-resource',
      '/.well-known/security.txt',
      '/.well-known/api-catalog',
    ]
    const others = ['/api/v1/mcp/server-card', '/llms.txt', '/signin', '/api/v1/auth/me', '/api/v1/auth/github']
    for (const [index, path] of [...paths, ...others].entries()) {
      const authorization = path.includes('mcp') ? { authorization: 'Bearer wrong' } : {} // 401 would send MCP clients to look for OAuth
      const { status, headers } = await fetch(`${lab.url}${path}`, {
        headers: { ...authorization, ...from(`192.0.2.${30 + index}`) } as never,
      })
      if (path.includes('mcp')) expect(status).toBe(200)
      expect([path, ...['limit', 'remaining', 'reset'].map((name) => headers.has(`ratelimit-${name}`))]).toEqual([path, true, true, true])
    }
  })

  it('gets the numbers with broken requests too', async () => {
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(lab.url).port), '127.0.0.1', () =>
        socket.end('GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
      )
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('close', () => resolve(text))
    })
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(answer.toLowerCase()).toMatch(/ratelimit-limit: \d+\r\nratelimit-remaining: \d+\r\nratelimit-reset: \d+\r\n/)
  })
})

describe('an account', () => {
  it('is counted by itself, wherever it asks from, with a bucket for each class', async () => {
    const ask = (address: string, path: string, body?: unknown) =>
      lab.call(body === undefined ? 'GET' : 'POST', `/api/v1${path}`, body, from(address))
    const first = await ask('192.0.2.10', '/sandbox')
    expect(numbers(first.headers)[0]).toBe(account.read)
    expect(numbers((await ask('192.0.2.11', '/sandbox')).headers)[1]).toBeLessThan(account.read - 1)
    const execs = await Promise.all(
      Array.from({ length: account.exec + 1 }, () => ask('192.0.2.12', '/sandbox/exec', { session_id: 'x', command: 'id' })),
    )
    expect(execs.map(({ status }) => status).sort()).toEqual([...Array(account.exec).fill(404), 429])
    expect((await ask('192.0.2.12', '/sandbox')).status).toBe(200)
    const starts = await Promise.all(
      Array.from({ length: account.start + 1 }, () => ask('192.0.2.13', '/sandbox/start', { course_id: 'nothing' })),
    )
    expect(starts.map(({ status }) => status).sort()).toEqual([404, 404, 429])
  })

  it('pays for every item of a batch', async () => {
    const requests = Array(4).fill({ method: 'POST', path: '/sandbox/stop', body: { session_id: 'x' } })
    const { body } = await lab.call('POST', '/api/v1/batch', { requests })
    expect(body.responses.map((entry: { status: number }) => entry.status)).toEqual([404, 404, 404, 404])
    const over = (await lab.call('POST', '/api/v1/batch', { requests })).body
    expect(over.responses?.map((entry: { status: number }) => entry.status) ?? over.error.code).toEqual([429, 429, 429, 429])
  })
})

describe('MCP', () => {
  const ask = (message: object, address: string) =>
    fetch(`${lab.url}/api/v1/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...from(address) },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })

  it('answers 429 with a JSON-RPC error and the headers', async () => {
    const call = (id: number) =>
      ask({ id, method: 'tools/call', params: { name: 'exec_in_sandbox', arguments: { session_id: 'x', command: 'id' } } }, '192.0.2.20')
    const answers = []
    for (let id = 0; id < rates.exec + 1; id += 1) answers.push(await call(id))
    expect(answers.map(({ status }) => status)).toEqual([...Array(rates.exec).fill(200), 429])
    const over = answers.at(-1) as Response
    expect(numbers(over.headers).slice(0, 2)).toEqual([rates.exec, 0])
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    const body = await over.json()
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: rates.exec,
      error: {
        code: 429,
        message: 'too many requests',
        data: {
          code: 'rate_limited',
          resolution_hint: expect.any(String),
          retry_after_seconds: expect.any(Number),
          details: { class: 'exec', limit_per_minute: rates.exec },
        },
      },
    })
    expect((await ask({ id: 1, method: 'tools/list', params: {} }, '192.0.2.20')).status).toBe(200)
  })
})
