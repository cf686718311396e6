// What holds for every path and operation alike: messages in plain words that name the field, methods, slashes at the end, CORS, media
// types, and the spelling of the OpenAPI document. Starts no sandboxes.

import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { badRequests, type Document } from '../support/bad-requests.ts'
import { createSender, type RawRequest } from '../support/http.ts'
import { pathOnHost } from '../support/openapi.ts'
import { type Lab, smallCatalog, startLab } from '../support/server.ts'

let lab: Lab
let sender: ReturnType<typeof createSender>
let document: Document

beforeAll(async () => {
  const github = { LAB_GITHUB_CLIENT_ID: 'id', LAB_GITHUB_CLIENT_SECRET: 'secret' }
  const google = { LAB_GOOGLE_CLIENT_ID: 'id', LAB_GOOGLE_CLIENT_SECRET: 'secret', LAB_GOOGLE_ISSUER: 'http://localhost:9' }
  lab = await startLab({ ...smallCatalog, LAB_PAYMENTS: 'local', ...github, ...google, LAB_METRICS_TOKEN: 'only-for-the-metrics' })
  sender = createSender(lab.url, 4)
  document = (await (await fetch(`${lab.url}/openapi.json`)).json()) as Document
})
afterAll(async () => {
  sender?.close()
  await lab?.close()
})

const send = async (request: RawRequest) => {
  const answer = await sender.send({ ...request, headers: { host: 'localhost', ...request.headers } })
  return { ...answer, json: () => JSON.parse(answer.text) }
}
const get = (path: string, headers: Record<string, string> = {}) => send({ method: 'GET', path, headers })
const authorized = () => ({ authorization: `Bearer ${lab.token}` })

/** A path of every kind, with the methods that it has. */
const paths = (): [path: string, methods: string[]][] => {
  const api = Object.entries(document.paths).map(([path, methods]): [string, string[]] => [
    pathOnHost(path, Object.values(methods)[0])
      .replace('{courseId}', 'scenario-01')
      .replace('{provider}', 'local')
      .replace(/\{[^}]+\}/g, '0000000000000000'),
    Object.keys(methods).map((method) => method.toUpperCase()),
  ])
  const documents = ['/openapi.json', '/docs', '/llms.txt', '/metrics', '/api/v1/sandbox/terminal', '/api/v1/mcp/server-card']
  const wellKnown = ['api-catalog', 'security.txt', 'mcp.json', 'oauth-protected-resource', 'oauth-protected-resource/api/v1/mcp']
  const reads = [...documents, ...wellKnown.map((name) => `/.well-known/${name}`)]
  return [...api, ...reads.map((path): [string, string[]] => [path, ['GET']])]
}
const allowOf = (methods: readonly string[]) =>
  [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].sort().join(', ')

describe('messages', () => {
  const machineWords =
    /undefined|received|expected|invalid (input|option|string)|too (small|big)|\brecord\b|NaN|unrecogni[sz]ed|regex|pattern|chdir|OCI|docker|zod|LAB_|\.\/lab/i

  it('for one mistake in any field of any operation are in plain words and name the field', async () => {
    // What else is in the address of a callback is the provider's business.
    const requests = badRequests(document).filter(({ what }) => !/^finishSignIn.*too many/.test(what))
    expect(requests.length).toBeGreaterThan(300)
    for (const { what, method, path, body, field } of requests) {
      const { status, body: answer } = await lab.call(method, path, body === undefined ? undefined : JSON.stringify(body))
      const told = `${what}: ${JSON.stringify(answer)}`
      expect([status, answer.error?.code], told).toEqual([400, 'invalid_request'])
      const { message, resolution_hint = '', details } = answer.error
      expect(`${message} ${resolution_hint}`.replaceAll(field, ''), told).not.toMatch(machineWords)
      expect(message, told).toContain(`${field}: `)
      expect(
        details?.fields.map((entry: { field: string }) => entry.field),
        told,
      ).toContain(field)
    }
  })

  it.each([
    ['POST', '/sandbox/start', { 'idempotency-key': 'x' }, { course_id: 'scenario-01' }, 'Idempotency-Key'],
    ['GET', '/health', { 'api-version': 'x' }, undefined, 'API-Version'],
    ['GET', '/courses?cursor=x', {}, undefined, 'cursor'],
    ['POST', '/batch', {}, { requests: [{ method: 'GET', path: 'health' }] }, 'requests.0.path'],
    ['POST', '/batch', {}, { requests: Array(21).fill({ method: 'GET', path: '/health' }) }, 'requests'],
    ['POST', '/batch', {}, { mode: 'atomic', requests: [{ method: 'DELETE', path: '/jobs/x' }] }, 'requests.0'],
  ])('%s %s with %j and %j names %s', async (method, path, headers, body, field) => {
    const { status, body: answer } = await lab.call(method, `/api/v1${path}`, body, headers as Record<string, string>)
    expect([status, answer.error.details.fields[0].field]).toEqual([400, field])
  })

  it.each([
    ['limit=1&limit=2', 'limit: must be given once'],
    ['cursor=a&cursor=b', 'cursor: must be given once'],
    ['limit=', 'limit: must not be empty'],
    ['limit=0x5', 'limit: must be a whole number, in decimal digits'],
    ['limit=1e1', 'limit: must be a whole number, in decimal digits'],
    ['limit=%201', 'limit: must be a whole number, in decimal digits'],
    ['limit=-1', 'limit: must be at least 1'],
    [`limit=${'9'.repeat(30)}`, 'limit: must be at most 100'],
  ])('for the query %s say: %s', async (query, message) => {
    const { status, json } = await get(`/api/v1/courses?${query}`)
    expect([status, json().error.message]).toEqual([400, message])
  })

  it.each([
    ['GET', `/sandbox/0000000000000000/commands/x?offset=${'9'.repeat(30)}`, undefined, 'offset: must be at most 9007199254740991'],
    ['POST', '/sandbox/exec', { session_id: 's', command: 'x'.repeat(200_000) }, 'command: must have at most 131071 characters'],
    ['POST', '/sandbox/exec', { session_id: 's', command: 'é'.repeat(100_000) }, 'command: must not be longer than 131071 bytes'],
  ])('tell one mistake once: %s %s', async (method, path, body, message) => {
    expect((await lab.call(method, `/api/v1${path}`, body)).body.error.message).toBe(message)
  })

  it('name all bad items of a batch, the first twenty in full', async () => {
    const batch = async (mode: string, requests: object[]) => (await lab.call('POST', '/api/v1/batch', { mode, requests })).body.error
    const read = (path: string) => ({ method: 'GET', path })
    const items = [read('health'), read('/health'), read('/auth/me'), { method: 'DELETE', path: '/jobs/x' }, read('/a b?c=d')]
    const fieldsOf = ({ details }: { details: { fields: { field: string }[] } }) => details.fields.map(({ field }) => field)
    expect(fieldsOf(await batch('sequential', items))).toEqual(['requests.0.path', 'requests.2.path', 'requests.4.path'])
    const { resolution_hint, ...atomic } = await batch('atomic', items)
    expect(fieldsOf(atomic)).toEqual(['requests.0.path', 'requests.2.path', 'requests.3', 'requests.4.path'])
    expect(resolution_hint).toContain('sequential')
  })

  it('for a half of a character name the field, wherever it is', async () => {
    const exec = '{"session_id": "s", "command": "echo \\ud800"}'
    const batch = `{"requests": [{"method": "POST", "path": "/sandbox/exec", "body": ${exec}}]}`
    for (const [path, body, field] of [
      ['/sandbox/exec', exec, 'command'],
      ['/batch', batch, 'requests.0.body.command'],
    ] as const) {
      const { status, body: answer } = await lab.call('POST', `/api/v1${path}`, body)
      expect([status, answer.error.code, answer.error.message]).toEqual([400, 'invalid_request', `${field}: is not valid Unicode`])
    }
  })

  it('for what is not there lead to what is', async () => {
    const hint = async (path: string) => (await get(path)).json().error.resolution_hint
    expect(await hint('/api/v1/nothing')).toContain('/docs')
    expect(await hint('/api/v1/courses/scenario-99')).toContain('GET /courses')
  })

  it('for what is wrong with the request itself are ours too', async () => {
    const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
      send({
        method: 'POST',
        path: '/api/v1/sandbox/start',
        headers: { ...authorized(), 'content-type': 'application/json', ...headers },
        body,
      })
    const message = async (answer: Promise<{ json: () => { error: { message: string } } }>) => (await answer).json().error.message
    expect(await message(post('{'))).toBe('the body is not valid JSON')
    expect(await message(post(' '.repeat(2 ** 20 + 1)))).toBe('the body is larger than 1048576 bytes')
    expect(await message(post('', { 'content-type': 'text/plain' }))).toBe('the body must be JSON')
    expect(await message(get('/%zz'))).toBe('the path is not a valid URL')
  })
})

describe('methods', () => {
  it('that a path does not have are 405 with those that it has, and OPTIONS tells the same', async () => {
    for (const [path, methods] of paths()) {
      const allow = allowOf(methods)
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        // A body that no route would read: what is no route is refused before.
        const wrong = { 'content-type': 'text/plain', 'content-encoding': 'gzip' }
        const isRoute = allow.split(', ').includes(method)
        const answer = await send({ method, path, ...(isRoute ? {} : { headers: wrong, body: 'x' }) })
        if (method === 'OPTIONS') expect([answer.status, answer.headers.allow, answer.text], path).toEqual([204, allow, ''])
        else if (isRoute) expect([404, 405], `${method} ${path}`).not.toContain(answer.status)
        else expect([answer.status, answer.headers.allow], `${method} ${path}`).toEqual([405, allow])
      }
    }
  })

  it('are suggested without OPTIONS, which helps nobody who got the method wrong', async () => {
    const { headers, json } = await send({ method: 'DELETE', path: '/api/v1/batch' })
    expect([headers.allow, json().error.resolution_hint]).toEqual(['OPTIONS, POST', 'use POST'])
  })

  it('of the MCP endpoint are POST and OPTIONS', async () => {
    for (const method of ['PUT', 'PATCH', 'PROPFIND']) {
      const { status, headers } = await send({ method, path: '/api/v1/mcp', headers: { host: new URL(lab.url).host } })
      expect([status, headers.allow?.split(', ')]).toEqual([405, expect.arrayContaining(['POST'])])
    }
  })

  it('HEAD is GET without its body', async () => {
    for (const [path] of paths().filter(([, methods]) => methods.includes('GET'))) {
      const [head, whole] = [await send({ method: 'HEAD', path }), await get(path)]
      expect([head.status, head.headers['content-type'], head.text], path).toEqual([whole.status, whole.headers['content-type'], ''])
    }
  })
})

describe('a slash at the end', () => {
  it('changes nothing, and two are 404', async () => {
    for (const [path, methods] of paths()) {
      const method = methods[0] as string
      const [plain, slash, twice] = [
        await send({ method, path }),
        await send({ method, path: `${path}/` }),
        await send({ method, path: `${path}//` }),
      ]
      const sameBut = ({ text }: { text: string }) => text.replace(/"request_id":"\w+"/, '').replace(/"\w+_at":"[^"]+"/g, '')
      expect([slash.status, sameBut(slash)], path).toEqual([plain.status, sameBut(plain)])
      expect([401, 404], `${path}//`).toContain(twice.status)
      const authenticated = await send({ method, path: `${path}//`, headers: path === '/metrics' ? {} : authorized() })
      expect([authenticated.status, authenticated.json().error.code], `${path}//`).toEqual([404, 'not_found'])
    }
  })

  it('has the same idempotency key, and is a path of a batch', async () => {
    const key = { 'idempotency-key': '6f9619ff-8b86-4d01-b42d-00cf4fc964ff' }
    const batch = { requests: [{ method: 'GET', path: '/api/v1/health/' }] }
    const first = await lab.call('POST', '/api/v1/batch', batch, key)
    const again = await lab.call('POST', '/api/v1/batch/', batch, key)
    expect([first.body.responses[0].status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  })
})

describe('CORS', () => {
  const origin = 'https://page.example'

  it('lets any page read every answer, from the cache too, and never with cookies', async () => {
    const reads = ['/api/v1/courses', '/api/v1/courses', '/api/v1/health', '/docs', '/openapi.json', '/.well-known/api-catalog']
    for (const path of [...reads, '/api/v1/sandbox', '/api/v1/courses?limit=0', '/nothing', '/%zz']) {
      const { headers } = await get(path, { origin })
      expect(headers['access-control-allow-origin'], path).toBe('*')
      expect(headers, path).not.toHaveProperty('access-control-allow-credentials')
      const exposed = String(headers['access-control-expose-headers']).split(', ')
      expect(exposed).toEqual(
        expect.arrayContaining([
          ...['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After', 'X-Request-Id', 'Location'],
          ...['ETag', 'Idempotent-Replayed', 'API-Version'],
        ]),
      )
    }
    const { headers } = await get('/api/v1/sandbox', { origin, ...authorized() })
    expect(headers['access-control-allow-origin']).toBe('*')
  })

  it('answers a preflight for every path and method, and takes a bearer token', async () => {
    for (const [path, methods] of paths()) {
      for (const method of methods) {
        const asked = { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization' }
        const { status, headers, text } = await send({ method: 'OPTIONS', path, headers: asked })
        expect([status, text, headers['access-control-allow-origin']], path).toEqual([204, '', '*'])
        expect(String(headers['access-control-allow-methods']).split(', '), path).toContain(method)
        const accepted = String(headers['access-control-allow-headers']).toLowerCase().split(', ')
        expect(accepted).toEqual(
          expect.arrayContaining(['authorization', 'content-type', 'idempotency-key', 'api-version', 'if-none-match']),
        )
        expect(accepted).not.toContain('cookie')
        expect(headers).not.toHaveProperty('access-control-allow-credentials')
      }
    }
  })

  it('leaves MCP to its own list of origins', async () => {
    const { status, headers } = await send({ method: 'OPTIONS', path: '/api/v1/mcp', headers: { host: new URL(lab.url).host, origin } })
    expect([status, headers['access-control-allow-origin']]).toEqual([403, undefined])
  })
})

describe('media types', () => {
  const body = JSON.stringify({ requests: [{ method: 'GET', path: '/health' }] })
  const post = (type: string, bytes: string | Buffer = body, headers: Record<string, string> = {}) =>
    send({ method: 'POST', path: '/api/v1/batch', headers: { ...authorized(), 'content-type': type, ...headers }, body: bytes })

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=us-ascii',
  ])('%s is read', async (type) => {
    expect((await post(type)).status).toBe(200)
    expect((await post(type, body, { 'content-encoding': 'identity' })).status).toBe(200)
  })

  it.each(['utf-16', 'latin1', 'iso-8859-1', 'utf-7', ''])('the charset %j is 415', async (charset) => {
    const { status, json } = await post(`application/json; charset=${charset}`, Buffer.from(body, 'utf16le'))
    expect([status, json().error]).toMatchObject([415, { code: 'unsupported_media_type', message: 'the body must be in UTF-8' }])
  })

  it.each(['gzip', 'br', 'deflate', 'gzip, identity', 'nonsense'])('the content encoding %s is 415', async (encoding) => {
    const { status, headers, json } = await post('application/json', gzipSync(body), { 'content-encoding': encoding })
    expect([status, headers['accept-encoding'], json().error.code]).toEqual([415, 'identity', 'unsupported_media_type'])
    expect(json().error.resolution_hint).toContain('Content-Encoding')
  })
})

describe('the OpenAPI document', () => {
  it('has the version of the description; the service has its own', async () => {
    expect(document.info.version).toBe('1.0.0')
    expect((await get('/api/v1/health')).json().version).toBe((await get('/api/v1/settings/public')).json().version)
    expect((await get('/api/v1/health')).json().version).not.toBe('1.0.0')
  })

  it('spells path parameters in one way, each by the thing that it names', () => {
    const names = Object.keys(document.paths).flatMap((path) => [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name as string))
    expect(names.length).toBeGreaterThan(5)
    // A payment provider has a name and no id.
    for (const name of names.filter((one) => one !== 'provider')) expect(name).toMatch(/^[a-z]+Id$/)
  })
})

describe('batch paths', () => {
  it.each(['/health', '/api/v1/health', '/api/v1/courses?limit=1'])('%s is taken', async (path) => {
    const { body } = await lab.call('POST', '/api/v1/batch', { requests: [{ method: 'GET', path }] })
    expect(body.responses[0].status).toBe(200)
  })

  it.each(['/api/v1/auth/tokens', '/api/v1/batch', '/api/v1/mcp', '/api/v1/shared/report', '/api/v1//health', 'api/v1/health'])(
    '%s is refused',
    async (path) => {
      expect((await lab.call('POST', '/api/v1/batch', { requests: [{ method: 'GET', path }] })).status).toBe(400)
    },
  )
})

describe('courses', () => {
  it('tell their tiers and domains with counts, and take a domain in any case', async () => {
    const { facets, total_count } = (await get('/api/v1/courses')).json()
    const sum = (facet: { count: number }[]) => facet.reduce((total, { count }) => total + count, 0)
    expect([sum(facets.tiers), sum(facets.domains)]).toEqual([total_count, total_count])
    expect(facets.tiers.map(({ name }: { name: string }) => name)).toEqual(['beginner', 'intermediate', 'advanced', 'expert'])
    for (const { name, count } of facets.domains) {
      expect((await get(`/api/v1/courses?domain=${name.toUpperCase()}`)).json().total_count, name).toBe(count)
    }
  })

  it('of a domain that there is not are 400 with those that there are', async () => {
    const { status, json } = await get('/api/v1/courses?domain=databse')
    const { message, details } = json().error
    expect(status).toBe(400)
    expect(message).toMatch(/^domain: must be one of cloud, .*web-server; did you mean `database`\?$/)
    expect(details).toMatchObject({ fields: [{ field: 'domain' }], known_domains: expect.arrayContaining(['cloud', 'web-server']) })
    expect((await get('/api/v1/glossary?domain=databse')).status).toBe(400)
  })
})
