// Limits on hostile clients: short error responses, few connections, no metrics, and no session of another caller.

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import type { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createToken as createRawToken } from '../../src/accounts/token-format.ts'
import { createId } from '../../src/ids.ts'
import { createSessionIds } from '../../src/sandboxes/session-id.ts'
import { readSecret } from '../../src/secret.ts'
import { createClient, createToken, inDatabase, type Lab, smallCatalog, startLab } from '../support/server.ts'

const most = { connections: 20, bodyBytes: 100_000, accountBytes: 250_000, guesses: 5 }
const metricsToken = 'a-token-for-the-figures-of-this-server'
const page = 'https://lab.example'

let lab: Lab
let session: { id: string; session_id: string }

beforeAll(async () => {
  lab = await startLab({
    ...smallCatalog,
    LAB_HOST: 'localhost',
    LAB_RATE_LIMIT_SCALE: '1',
    LAB_RATES_ANONYMOUS: `read=500,write=30,start=6,exec=120,auth=${most.guesses}`,
    LAB_TRUSTED_PROXIES: '127.0.0.1',
    LAB_METRICS_TOKEN: metricsToken,
    LAB_ALLOWED_ORIGINS: page,
    LAB_NETWORK_CONNECTIONS: String(most.connections),
    LAB_IDEMPOTENCY_BODY_BYTES: String(most.bodyBytes),
    LAB_IDEMPOTENCY_ACCOUNT_BYTES: String(most.accountBytes),
  })
  session = (await lab.call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })).body
})
afterAll(() => lab?.close())

const from = (address: string) => ({ 'x-forwarded-for': address })
const post = (path: string, body: unknown, key: string) => lab.call('POST', `/api/v1${path}`, body, { 'idempotency-key': key })
const inStore = <T>(work: (database: DatabaseSync) => T): T => inDatabase(lab.dataDir, work)

describe('a server on a name of two addresses', () => {
  it('listens once, so that every connection is counted', () => {
    const port = Number(new URL(lab.url).port).toString(16).toUpperCase().padStart(4, '0')
    const tables = ['tcp', 'tcp6'].map((name) => readFileSync(`/proc/net/${name}`, 'latin1')).join('')
    expect(tables.match(new RegExp(`:${port} \\S+ 0A `, 'g'))).toHaveLength(1)
  })
})

describe('a body with very many fields', () => {
  it('is refused before it is looked at; one with many wrong ones names twenty and counts the rest', async () => {
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`${'k'.repeat(500)}${index}`, 1]))
    const short = Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`k${index}`, 1]))
    for (const body of [short, { requests: Array(200_000).fill(0) }]) {
      const { status, body: answer } = await lab.call('POST', '/api/v1/batch', body)
      expect([status, answer.error.code, JSON.stringify(answer).length < 1_000]).toEqual([400, 'invalid_request', true])
    }
    const { body: answer } = await lab.call('POST', '/api/v1/sandbox/stop', fields(500))
    expect(answer.error.details.fields).toHaveLength(20)
    expect(answer.error.details.more_fields).toBe(481)
    expect(JSON.stringify(answer).length).toBeLessThan(10_000)
  })
})

describe('a batch of long answers', () => {
  it('is answered in full up to a size; the items after that are not run, and say so', async () => {
    const command = "echo ran >> /tmp/batch; head -c 1000000 /dev/zero | tr '\\0' '\\1'"
    const item = { method: 'POST', path: '/sandbox/exec', body: { session_id: session.session_id, command } }
    const { status, body } = await lab.call('POST', '/api/v1/batch', { requests: Array(20).fill(item) })
    expect(status).toBe(200)
    const statuses = body.responses.map((answer: { status: number }) => answer.status)
    expect(statuses).toEqual([200, 200, ...Array(18).fill(413)])
    expect(body.responses.at(-1).body.error.code).toBe('payload_too_large')
    const runs = await lab.call('POST', '/api/v1/sandbox/exec', { session_id: session.session_id, command: 'cat /tmp/batch' })
    expect(runs.body.stdout).toBe('ran\nran\n')
  })
})

describe('an answer under an idempotency key', () => {
  const print = (bytes: number, note = 'x') => ({
    session_id: session.session_id,
    command: `echo ran >> /tmp/${note}; head -c ${bytes} /dev/zero | tr '\\0' x`,
  })

  it('that is too large is not kept, but what was done is: it is not done again, and the answer says so', async () => {
    const key = randomUUID()
    const first = await post('/sandbox/exec', print(most.bodyBytes, 'large'), key)
    expect([first.status, first.body.stdout_bytes]).toEqual([200, most.bodyBytes])
    for (const _ of [1, 2]) {
      const again = await post('/sandbox/exec', print(most.bodyBytes, 'large'), key)
      expect([again.status, again.body.error?.code, again.body.error?.details]).toEqual([
        409,
        'idempotency_answer_not_kept',
        { status: 200 },
      ])
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expect(again.body.error?.resolution_hint).toMatch(/new key/)
      expect(again.body.error?.resolution_hint).not.toMatch(/\bGET\b/) // nothing answers what an exec answered
    }
    const runs = await lab.call('POST', '/api/v1/sandbox/exec', { session_id: session.session_id, command: 'cat /tmp/large' })
    expect(runs.body.stdout).toBe('ran\n')
    const batch = { mode: 'atomic', requests: Array(20).fill({ method: 'GET', path: '/courses?limit=100' }) }
    const batchKey = randomUUID()
    expect((await post('/batch', batch, batchKey)).status).toBe(200)
    expect((await post('/batch', batch, batchKey)).body.error?.code).toBe('idempotency_answer_not_kept')
  })

  it('is kept as long as the account has room for it; a start is found by its sandbox all the same', async () => {
    const keys = Array.from({ length: 5 }, () => randomUUID())
    const replays = []
    for (const key of keys) {
      await post('/sandbox/exec', print(80_000), key)
      replays.push((await post('/sandbox/exec', print(80_000), key)).status)
    }
    expect(replays).toEqual([200, 200, 200, 409, 409])
    const kept = inStore((store) => store.prepare('select sum(length(body)) as bytes from request').get()) as { bytes: number }
    const batches = inStore((store) => store.prepare('select coalesce(sum(length(body)), 0) as bytes from batch').get()) as typeof kept
    expect(kept.bytes + batches.bytes).toBeLessThanOrEqual(most.accountBytes)
    const key = randomUUID()
    const filler = most.accountBytes - kept.bytes
    for (const bytes of [filler - 2_000, 1_000, 500, 250, 100]) await post('/sandbox/exec', print(Math.max(0, bytes)), randomUUID())
    const started = await post('/sandbox/start', { course_id: 'scenario-01' }, key)
    const newest = inStore((store) => store.prepare('select status, body from request order by created_at desc limit 1').get())
    expect(newest).toEqual({ status: 200, body: null })
    const again = await post('/sandbox/start', { course_id: 'scenario-01' }, key)
    expect([again.status, again.body.session_id]).toEqual([200, started.body.session_id])
    await lab.call('POST', '/api/v1/sandbox/stop', { session_id: started.body.session_id })
  })

  it('gets session ids of the sandboxes that it was about, and of no other', async () => {
    const key = randomUUID()
    inStore((store) => store.exec('delete from request where status is not null'))
    const first = await post('/sandbox/extend', { session_id: session.session_id }, key)
    expect((await post('/sandbox/extend', { session_id: session.session_id }, key)).body).toEqual({
      ...first.body,
      terminal_url: expect.any(String),
    })
    const foreign = createId()
    const planted = { ...first.body, id: foreign, session_id: null }
    inStore((store) => store.prepare('update request set body = ? where body like ?').run(JSON.stringify(planted), `%${session.id}%`))
    const { status, body } = await post('/sandbox/extend', { session_id: session.session_id }, key)
    expect([status, body.error.code]).toEqual([409, 'idempotency_answer_not_kept'])
    expect(JSON.stringify(body)).not.toContain(createSessionIds(await readSecret(undefined, lab.dataDir)).of(foreign))
  })
})

describe('the figures', () => {
  it('are not told to who guesses on beyond the limit, even with the right token; who has it is not held up by guesses', async () => {
    const read = async (token: string, address: string) =>
      (await fetch(`${lab.url}/metrics`, { headers: { authorization: `Bearer ${token}`, ...from(address) } })).status
    const guesses = []
    for (let count = 0; count <= most.guesses; count += 1) guesses.push(await read(`${metricsToken}${count}`, '192.0.2.19'))
    expect(guesses).toEqual([...Array(most.guesses).fill(401), 429])
    expect(await read(metricsToken, '192.0.2.19')).toBe(429)
    expect(await read(metricsToken, '192.0.2.20')).toBe(200)
    expect(await read(metricsToken, '192.0.2.19')).toBe(200)
  })

  it('are served with their token only, wherever the request seems to come from', async () => {
    const read = (headers: Record<string, string>) => fetch(`${lab.url}/metrics`, { headers })
    for (const headers of [{}, from('127.0.0.1'), { authorization: `Bearer ${lab.token}` }, { authorization: `Bearer ${metricsToken}x` }]) {
      const answer = await read(headers as Record<string, string>)
      expect([answer.status, (await answer.text()).includes('incident_lab_')]).toEqual([401, false])
    }
    const answer = await read({ authorization: `Bearer ${metricsToken}` })
    expect([answer.status, (await answer.text()).includes('incident_lab_http_requests_total')]).toEqual([200, true])
  })
})

describe('a guess', () => {
  it('beyond the limit is not even looked up, and a token that is known is not held up by guesses of others', async () => {
    const token = await createToken(lab.dataDir)
    const read = (bearer: string, address: string) => createClient(lab.url, bearer)('GET', '/api/v1/sandbox', undefined, from(address))
    const guesses = []
    for (let count = 0; count <= most.guesses; count += 1) guesses.push((await read(createRawToken(), '192.0.2.9')).status)
    expect(guesses).toEqual([...Array(most.guesses).fill(401), 429])
    expect((await read(token, '192.0.2.9')).status).toBe(429)
    expect((await read(token, '192.0.2.10')).status).toBe(200)
    expect((await read(token, '192.0.2.9')).status).toBe(200)
  })
})

describe('connections', () => {
  const open: Socket[] = []
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy()
  })

  /** A connection from an address of this machine. */
  const dial = (localAddress: string): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port: Number(new URL(lab.url).port), host: '127.0.0.1', localAddress }, () => resolve(socket))
      socket.once('error', reject)
      open.push(socket)
    })

  /** The status of the first answer; 0 when the connection ends without one. */
  const ask = async (socket: Socket, path: string, headers: Record<string, string> = {}): Promise<number> => {
    const fields = Object.entries({ host: new URL(lab.url).host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
    return new Promise((resolve) => {
      socket.once('data', (chunk) => resolve(Number(/^HTTP\/1.1 (\d+)/.exec(chunk.toString())?.[1])))
      socket.once('close', () => resolve(0))
      socket.on('error', () => undefined)
      socket.write(`GET ${path} HTTP/1.1\r\n${fields.join('')}\r\n`)
    })
  }
  const upgrade = async (headers: Record<string, string>) =>
    ask(await dial('127.0.0.1'), '/api/v1/sandbox/terminal', {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      ...headers,
    })

  it('from one network are so many and no more; others are served', async () => {
    const held = []
    for (let count = 0; count < most.connections; count += 1) held.push(await dial('127.0.0.3'))
    expect(await ask(held.at(-1) as Socket, '/api/v1/health')).toBe(200)
    expect([0, 429]).toContain(
      await dial('127.0.0.3').then(
        (socket) => ask(socket, '/api/v1/health'),
        () => 0,
      ),
    )
    expect(await ask(await dial('127.0.0.4'), '/api/v1/health')).toBe(200)
    held[0]?.destroy()
    await expect
      .poll(async () =>
        dial('127.0.0.3').then(
          (socket) => ask(socket, '/api/v1/health'),
          () => 0,
        ),
      )
      .toBe(200)
  })

  it('through a proxy are counted for the network behind it, terminals too', async () => {
    for (let count = 0; count < most.connections; count += 1) expect(await upgrade(from(`2001:db8::${count}`))).toBe(101)
    expect(await upgrade(from('2001:db8::ffff'))).toBe(429)
    expect(await ask(await dial('127.0.0.1'), '/api/v1/health', from('2001:db8::1'))).toBe(429)
    expect(await upgrade(from('2001:db8:0:1::1'))).toBe(101)
  })

  it('of a terminal come from pages that are ours or named, or from no page', async () => {
    const { origin, port } = new URL(lab.url)
    for (const good of [origin, `http://127.0.0.1:${port}`, page]) expect(await upgrade({ origin: good })).toBe(101)
    for (const foreign of ['https://evil.example', 'null', `http://evil.example:${port}`, 'http://localhost:1', `${page}.evil.example`]) {
      expect(await upgrade({ origin: foreign })).toBe(403)
    }
    expect(await upgrade({ origin: 'http://evil.example', host: 'evil.example' })).toBe(403)
    await expect.poll(() => open.at(-1)?.closed).toBe(true) // closed by the server
  })
})
