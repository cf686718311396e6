// Errors have the envelope and reveal no internals. The server uses PostgreSQL here.

import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createAccounts } from '../../src/accounts/accounts.ts'
import { hashSecret } from '../../src/accounts/secrets.ts'
import { createToken as createRawToken } from '../../src/accounts/token-format.ts'
import { readConfig } from '../../src/config.ts'
import { ErrorEnvelope } from '../../src/contract/error.ts'
import { createId } from '../../src/ids.ts'
import { type Installation, openInstallation } from '../../src/installation.ts'
import { createSessionIds, type SessionIds } from '../../src/sandboxes/session-id.ts'
import { readSecret } from '../../src/secret.ts'
import { createMember } from '../support/accounts.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { type Answer, createClient, type Lab, smallCatalog, startLab } from '../support/server.ts'
import { ample, sandbox } from '../support/store.ts'

let postgres: Postgres
let lab: Lab
let inside: Installation
let sessionIds: SessionIds
const [day, never] = ['2025-02-03T04:05:06.000Z', '2999-01-01T00:00:00.000Z'] as const
const past = { now: () => new Date('2025-01-01T00:00:00Z'), sleep: async () => undefined }

beforeAll(async () => {
  postgres = await startPostgres()
  const environment = { ...smallCatalog, LAB_LOG_LEVEL: 'info', LAB_DATABASE_URL: await postgres.createDatabase('lab') }
  lab = await startLab(environment)
  inside = await openInstallation(readConfig({ ...environment, LAB_DATA_DIR: lab.dataDir }))
  sessionIds = createSessionIds(await readSecret(undefined, lab.dataDir))
})
afterAll(async () => {
  await inside?.store.close()
  await lab?.close()
  await postgres?.close()
})

const refused = ({ status, headers, body }: Answer, expected: number, code: string) => {
  expect([status, body.error?.code]).toEqual([expected, code])
  expect(headers.get('content-type')).toMatch(/^application\/json\b/)
  expect(headers.get('x-request-id')).toBe(ErrorEnvelope.parse(body).error.request_id)
  expect(JSON.stringify(body)).not.toMatch(/ {4}at |node_modules|\.[tj]s[:"]|node:internal|\/(work|home|root|tmp|usr|src)\//)
  return body.error as ErrorEnvelope['error']
}
const post = (path: string, body?: unknown, headers?: Record<string, string>) => lab.call('POST', `/api/v1/sandbox/${path}`, body, headers)

/** Sends raw bytes and parses the response. */
const send = (text: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(Number(new URL(lab.url).port), '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => {
      received += chunk
      const [head = '', body = ''] = received.split('\r\n\r\n')
      const [line = '', ...fields] = head.split('\r\n')
      const headers = new Headers(fields.map((field) => [field.split(': ')[0] as string, field.slice(field.indexOf(': ') + 2)]))
      if (!headers.has('content-length') || Buffer.byteLength(body) < Number(headers.get('content-length'))) return
      resolve({ status: Number(line.split(' ')[1]), headers, body: body === '' ? undefined : JSON.parse(body) })
      socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`closed after: ${received}`)))
  })

afterEach(async () => {
  const health = await createClient(lab.url)('GET', '/api/v1/health')
  expect([health.status, health.body.status]).toEqual([200, 'ok'])
})

describe('credentials', () => {
  const challenge = () => `Bearer resource_metadata="${lab.url}/.well-known/oauth-protected-resource"`

  it('are needed for everything about sandboxes', async () => {
    const anonymous = createClient(lab.url)
    const routes = [
      ['POST', 'start'],
      ['POST', 'exec'],
      ['POST', 'stop'],
      ['GET', ''],
      ['GET', createId()],
    ] as const
    for (const [method, path] of routes) {
      const answer = await anonymous(method, `/api/v1/sandbox${path && `/${path}`}`, method === 'POST' ? {} : undefined)
      refused(answer, 401, 'unauthorized')
      expect(answer.headers.get('www-authenticate')).toBe(challenge())
    }
  })

  it('are refused when wrong, also where none is needed and where nothing is', async () => {
    const operator = await inside.accounts.operator()
    const { token: expired } = await createAccounts({
      store: inside.store,
      clock: past,
      limits: { accountTokens: 50, idempotencyHours: 24 },
    }).issueToken(operator, 'old', 1)
    const revoked = createRawToken()
    const dates = { created_at: day, expires_at: never, revoked_at: day }
    const owner = { id: createId(), account_id: operator.accountId, name: 'gone' }
    const unused = { last_used_at: null, request_id: null }
    await inside.store.tokens.insert({ ...owner, ...dates, ...unused, hash: hashSecret(revoked), last_four: revoked.slice(-4) }, 50)
    const flipped = lab.token.slice(0, -1) + (lab.token.endsWith('0') ? '1' : '0')
    const wrong = [expired, revoked, flipped, createRawToken(), 'x', 'a b', ''].map((token) => `Bearer ${token}`)
    for (const authorization of [...wrong, 'Basic b3BlcmF0b3I6eA==', lab.token, `Token ${lab.token}`]) {
      for (const path of ['/api/v1/health', '/api/v1/sandbox', '/nothing']) {
        const answer = await createClient(lab.url)('GET', path, undefined, { authorization })
        expect(refused(answer, 401, 'unauthorized').message).not.toContain(authorization.slice(7) || '\0')
        expect(answer.headers.get('www-authenticate')).toBe(challenge())
      }
    }
  })

  it('may be written in any case', async () => {
    expect((await createClient(lab.url)('GET', '/api/v1/sandbox', undefined, { authorization: `bearer ${lab.token}` })).status).toBe(200)
  })
})

describe('what is not there', () => {
  it.each([
    ['GET', '/nothing'],
    ['GET', '/api/v1/nothing?token=x'],
    ['GET', '/api/v2/health'],
    ['PROPFIND', '/api/v1/nothing'],
  ])('%s %s is 404', async (method, path) => {
    expect(refused(await lab.call(method, path), 404, 'not_found').message).not.toContain('token')
  })

  it.each(['scenario-99', '__proto__', '../scenario-01'])('course %j is 404', async (course_id) => {
    refused(await post('start', { course_id }), 404, 'not_found')
  })

  it('an id with a character that no store takes is 400', async () => {
    refused(await post('start', { course_id: 'scenario-01\0' }), 400, 'invalid_request')
    refused(await lab.call('GET', '/api/v1/evaluations?course_id=a%00b'), 400, 'invalid_request')
  })

  it('a session id that is unknown, tampered with or of another account is 404', async () => {
    const operator = await inside.accounts.operator()
    const other = await createMember(inside)
    const insert = async (account_id: string) => {
      const row = sandbox(account_id, { created_at: day, expires_at: never, deadline: never, node: 'elsewhere' })
      await inside.store.slots.reserve(row, ample)
      return row.id
    }
    const own = sessionIds.of(await insert(operator.accountId))
    refused(await post('exec', { session_id: own, command: 'id' }), 409, 'sandbox_not_running')
    const foreign = await insert(other.accountId)
    refused(await lab.call('GET', `/api/v1/sandbox/${foreign}`), 404, 'not_found')
    const flipped = own.slice(0, -1) + (own.endsWith('0') ? '1' : '0')
    const wrong = [sessionIds.of(foreign), sessionIds.of(createId()), flipped, own.split('.')[0], `${own}.`, ` ${own}`, '.', 'a\0.b']
    for (const session_id of wrong) {
      refused(await post('exec', { session_id, command: 'id' }), 404, 'not_found')
      refused(await post('stop', { session_id }), 404, 'not_found')
    }
    expect((await lab.call('GET', '/api/v1/sandbox')).body.items).toMatchObject([{ session_id: own }])
    expect((await post('stop', { session_id: own })).body.status).toBe('terminated')
  })
})

describe('an id of a sandbox', () => {
  const hintFor = async (answer: Promise<Answer>) => refused(await answer, 404, 'not_found').resolution_hint
  const byId = (id: string): [method: string, path: string][] => [
    ['GET', `/api/v1/sandbox/${id}`],
    ['GET', `/api/v1/sandbox/${id}/commands`],
    ['GET', `/api/v1/sandbox/${id}/recordings`],
    ['GET', `/api/v1/sandbox/${id}/report`],
    ['POST', `/api/v1/sandbox/${id}/share`],
    ['GET', `/api/v1/sandbox/${id}/events`],
    ['DELETE', `/api/v1/operator/sandboxes/${id}`],
  ]

  it('that is wrong is named as such, and a session_id in its place is recognised by its form', async () => {
    for (const [method, path] of [...byId('zzz'), ...byId(createId())]) {
      expect(await hintFor(lab.call(method, path)), path).toMatch(/^check the id\b/)
    }
    for (const [method, path] of byId(sessionIds.of(createId()))) {
      expect(await hintFor(lab.call(method, path)), path).toMatch(/^this is a session_id\b/)
    }
  })

  it('in the place of a session_id is recognised by its form, whether there is such a sandbox or not', async () => {
    const row = sandbox((await createMember(inside)).accountId, { created_at: day, expires_at: never, deadline: never, node: 'elsewhere' })
    await inside.store.slots.reserve(row, ample)
    for (const path of ['exec', 'commands']) {
      const hints = await Promise.all([row.id, createId()].map((session_id) => hintFor(post(path, { session_id, command: 'id' }))))
      expect(hints[0]).toMatch(/^this is an id\b/)
      expect(hints[1]).toBe(hints[0])
      expect(await hintFor(post(path, { session_id: 'zzz', command: 'id' }))).toMatch(/^check the session_id\b/)
    }
  })
})

describe('bodies', () => {
  it.each<[string, string, unknown, string]>([
    ['a number for a text', 'start', { course_id: 1 }, 'course_id'],
    ['no field', 'start', {}, 'course_id'],
    ['an unknown field', 'start', { course_id: 'scenario-01', image: 'x' }, 'image'],
    ['a list', 'start', [], 'body'],
    ['null', 'start', 'null', 'body'],
    ['an empty command', 'exec', { session_id: 's', command: '' }, 'command'],
    ['a blank command', 'exec', { session_id: 's', command: ' \n\t' }, 'command'],
    ['a NUL in the command', 'exec', { session_id: 's', command: 'a\0b' }, 'command'],
    ['a list for a command', 'exec', { session_id: 's', command: ['id'] }, 'command'],
    ['a command too long to run', 'exec', { session_id: 's', command: 'é'.repeat(65_536) }, 'command'],
    ['a text for a number', 'exec', { session_id: 's', command: 'id', timeout_seconds: '5' }, 'timeout_seconds'],
    ['half a second', 'exec', { session_id: 's', command: 'id', timeout_seconds: 0.5 }, 'timeout_seconds'],
    ['too many seconds', 'exec', { session_id: 's', command: 'id', timeout_seconds: 301 }, 'timeout_seconds'],
    ['a relative folder', 'exec', { session_id: 's', command: 'id', working_directory: 'etc' }, 'working_directory'],
    ['an unknown field beside good ones', 'exec', { session_id: 's', command: 'id', user: 'root' }, 'user'],
    ['no session id', 'stop', {}, 'session_id'],
  ])('%s is 400 and named', async (_what, path, body, field) => {
    const { message, details } = refused(await post(path, body), 400, 'invalid_request')
    expect(message).toMatch(new RegExp(`(^|; )${field}: `))
    expect(details?.fields).toMatchObject([{ field }])
  })

  it('that are missing or not JSON are 400', async () => {
    const json = { 'content-type': 'application/json' }
    refused(await post('start'), 400, 'invalid_request')
    refused(await post('start', undefined, json), 400, 'invalid_request')
    for (const text of ['{"course_id": ', '{}{}', "{'course_id': 'x'}", '{"__proto__": {"x": 1}}', '\0', ' ']) {
      refused(await post('start', text), 400, 'invalid_request')
    }
  })

  it.each(['text/plain', 'application/xml', 'multipart/form-data', 'application/x-www-form-urlencoded', 'nonsense'])(
    'of type %s are 415',
    async (type) => {
      refused(await post('start', '{"course_id":"scenario-01"}', { 'content-type': type }), 415, 'unsupported_media_type')
    },
  )

  it('of more than 1 MiB are 413', async () => {
    refused(await post('start', { course_id: 'x'.repeat(1024 * 1024) }), 413, 'payload_too_large')
  })
})

describe('HTTP itself', () => {
  it.each(['/api/v1/sandbox/%zz', '/api/v1/sandbox/%ff', '/%', '/api/v1/sandbox/a%00b', `/api/v1/sandbox/${'a'.repeat(500)}`])(
    'the address %s is 400',
    async (path) => {
      refused(await lab.call('GET', path), 400, 'invalid_request')
    },
  )

  it.each([
    ['noise', 'HELLO\r\n\r\n'],
    ['another protocol', '\x16\x03\x01\x00\xa5\x01\x00\r\n\r\n'],
    ['a version from the future', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['no host', 'GET /api/v1/health HTTP/1.1\r\n\r\n'],
    ['a broken header', 'GET / HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a length that is none', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: five\r\n\r\n'],
  ])('%s is 400', async (_what, text) => {
    refused(await send(text), 400, 'invalid_request')
  })

  it('a method that nobody knows is 405, and a path that is not there 404', async () => {
    const foo = (path: string, method = 'FOO') => send(`${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    for (const method of ['FOO', 'get', 'x-!']) {
      const answer = await foo('/api/v1/sandbox/start?x=1', method)
      const { message, resolution_hint } = refused(answer, 405, 'method_not_allowed')
      expect([message, resolution_hint]).toEqual([`method ${method} is not allowed here`, 'use POST'])
      expect(answer.headers.get('allow')).toBe('OPTIONS, POST')
    }
    expect(refused(await foo('/nothing?token=x'), 404, 'not_found').message).toBe('there is no route FOO /nothing')
    // What follows a request that is known is told as before.
    expect((await send('GET /api/v1/health HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n')).body.error.message).toBe('this is not valid HTTP')
  })

  it('a flood of headers is 431', async () => {
    const flood = Array.from({ length: 3000 }, (_, index) => `x-${index}: ${'v'.repeat(20)}\r\n`).join('')
    refused(await send(`GET / HTTP/1.1\r\nHost: x\r\n${flood}\r\n`), 431, 'headers_too_large')
    refused(await send(`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`), 431, 'headers_too_large')
  })

  it('an expectation is not held against the request', async () => {
    expect((await send('GET /api/v1/health HTTP/1.1\r\nHost: x\r\nExpect: fish\r\n\r\n')).body.status).toBe('ok')
  })
})

it('logs every request, and no token, session id, command, input or file name in it', async () => {
  const { session_id, id } = (await post('start', { course_id: 'scenario-01' })).body
  const secret = createId()
  const exec = { session_id, command: `cat; echo ${secret}`, stdin: secret, working_directory: '/etc' }
  expect((await post('exec', exec)).body.stdout).toContain(secret)
  await post('exec', { ...exec, container: secret })
  for (const path of [`/api/v1/sandbox/${session_id}`, `/nothing/${session_id}`, `/%zz${session_id}`, `/x?token=${session_id}`]) {
    await lab.call('GET', path)
  }
  await post('stop', { session_id })
  const lines = lab.server.log().split('\n')
  const holding = (text: string) => lines.filter((line) => line.includes(text))
  for (const route of ['start', 'exec', 'stop', ':sandboxId']) expect(holding(`"route":"/api/v1/sandbox/${route}"`)).not.toEqual([])
  for (const hidden of [lab.token, session_id, session_id.split('.')[1], secret, '"level":"error"']) expect(holding(hidden)).toEqual([])
  expect((await inside.engine.list()).map((sandbox) => sandbox.id)).not.toContain(id)
})
