// Errors of the MCP endpoint: tool results for errors that an agent can correct, JSON-RPC errors for errors of the client.

import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createId } from '../../src/ids.ts'

import { openInstallation } from '../../src/installation.ts'
import { createMember } from '../support/accounts.ts'
import { createClient, type Lab, smallCatalog, startLab } from '../support/server.ts'

const revision = '2026-07-28'
const validLooking = `ilab_pat_${'A'.repeat(38)}`

let lab: Lab
let othersToken: string

/** The token of a second account. */
const createOther = async (): Promise<string> => {
  const inside = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
  try {
    return (await createMember(inside)).token
  } finally {
    await inside.store.close()
  }
}

beforeAll(async () => {
  lab = await startLab({ ...smallCatalog, LAB_EVALUATION_SPACING_SECONDS: '3600', LAB_ANONYMOUS_SANDBOXES: '1', LAB_LOG_LEVEL: 'trace' })
  othersToken = await createOther()
})
afterAll(() => lab.close())

interface Sent {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Record<string, string | undefined>
}

interface Received {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly message: any
}

/** The last message of a response, whether JSON or an event stream. */
const lastMessage = (text: string, type: string) => {
  if (text === '') return undefined
  if (!type.startsWith('text/event-stream')) return JSON.parse(text)
  return JSON.parse(
    text
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .at(-1)
      ?.slice('data: '.length) ?? 'null',
  )
}

const send = async ({ method = 'POST', body, headers = {} }: Sent): Promise<Received> => {
  const all = { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers }
  const given = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]))
  const response = await fetch(`${lab.url}/api/v1/mcp`, {
    method,
    headers: given,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const message = lastMessage(await response.text(), response.headers.get('content-type') ?? '')
  return { status: response.status, headers: response.headers, message }
}

/** A call in a revision with a handshake, without the handshake. */
const call = async (name: string, args: Record<string, unknown>, headers: Sent['headers'] = {}) => {
  const { status, message } = await send({
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    headers,
  })
  expect(status).toBe(200)
  return message.result as { content: { type: string; text: string }[]; isError?: boolean; structuredContent?: Record<string, unknown> }
}

/** The error of a tool result, after checks that apply to every one. */
const errorOf = async (name: string, args: Record<string, unknown>, headers: Sent['headers'] = {}) => {
  const { content, isError, structuredContent } = await call(name, args, headers)
  expect(isError).toBe(true)
  expect(structuredContent).toBeUndefined()
  const text = content[0]?.text ?? ''
  expect(text).not.toMatch(/\bat \S+ \(|node_modules|\.ts:\d|file:\/\/|Error:/)
  for (const secret of [lab.token, othersToken, validLooking]) expect(text).not.toContain(secret)
  const { error } = JSON.parse(text)
  expect(error).toMatchObject({ code: expect.any(String), message: expect.any(String), request_id: expect.any(String) })
  return error
}

/** fetch sends neither every method nor every target. */
const sendRaw = ({ method, path, body }: { method: string; path: string; body?: object }) =>
  new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    const { host, port } = new URL(lab.url)
    const headers = { host, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const outgoing = httpRequest({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.once('end', () => resolve({ status: response.statusCode, headers: response.headers, text }))
    })
    outgoing.once('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const start = async (args: Record<string, unknown> = {}, headers: Sent['headers'] = {}) => {
  const { isError, structuredContent, content } = await call('start_drill', args, headers)
  expect(isError ?? false, content[0]?.text).toBe(false)
  return structuredContent?.session_id as string
}

afterEach(async () => {
  const { message } = await send({ body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })
  expect(message.result.tools).toHaveLength(13)
})

describe('a tool that cannot do what it is asked', () => {
  it('refuses a bad token, as an argument and as a header, without sending the client to sign in', async () => {
    for (const token of ['nonsense', validLooking]) {
      expect(await errorOf('start_drill', { api_token: token })).toMatchObject({
        code: 'unauthorized',
        resolution_hint: expect.any(String),
      })
      expect((await errorOf('grade_drill', { session_id: 'x', api_token: token })).code).toBe('unauthorized')
      for (const [name, args] of [
        ['start_drill', {}],
        ['exec_in_sandbox', { session_id: 'x', command: 'true' }],
        ['stop_drill', { session_id: 'x' }],
      ] as const) {
        expect((await errorOf(name, args, bearer(token))).code).toBe('unauthorized')
      }
    }
    expect((await errorOf('start_drill', {}, { authorization: 'Basic eDp5' })).code).toBe('unauthorized')
    expect((await errorOf('start_drill', { api_token: lab.token }, bearer(validLooking))).code).toBe('unauthorized')
  })

  it('refuses a bad credential whatever the tool, also one that needs none', async () => {
    const { tools } = (await send({ body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })).message.result as {
      tools: { name: string; inputSchema: { required?: string[] } }[]
    }
    for (const { name, inputSchema } of tools) {
      const args = Object.fromEntries((inputSchema.required ?? []).map((field) => [field, 'x']))
      expect([name, (await errorOf(name, args, bearer('nope'))).code]).toEqual([name, 'unauthorized'])
      expect([name, (await errorOf(name, { ...args, api_token: 'nope' })).code]).toEqual([name, 'unauthorized'])
    }
    expect((await call('list_courses', { api_token: lab.token })).isError ?? false).toBe(false)
  })

  it('knows no such course, sandbox or container', async () => {
    expect((await errorOf('start_drill', { course_id: 'scenario-99' })).code).toBe('not_found')
    for (const session_id of ['x', `${createId()}.${'a'.repeat(32)}`]) {
      expect((await errorOf('exec_in_sandbox', { session_id, command: 'true' })).code).toBe('not_found')
      expect((await errorOf('grade_drill', { session_id })).code).toBe('not_found')
      expect(await errorOf('stop_drill', { session_id })).toMatchObject({ code: 'not_found', resolution_hint: expect.any(String) })
    }
  })

  it.each([
    ['exec_in_sandbox', { session_id: 'x', command: '  ' }, 'command'],
    ['exec_in_sandbox', { session_id: 'x' }, 'command'],
    ['exec_in_sandbox', { session_id: 'x', command: 'true', timeout_seconds: 301 }, 'timeout_seconds'],
    ['exec_in_sandbox', { session_id: 'x', command: 'true', working_directory: 'etc' }, 'working_directory'],
    ['start_drill', { course: 'scenario-01' }, 'course'],
    ['start_drill', { api_token: 7 }, 'api_token'],
    ['read_output', { session_id: 'x', command_id: 'y', offset: -1 }, 'offset'],
    ['list_courses', { limit: 101 }, 'limit'],
    ['stop_drill', {}, 'session_id'],
  ])('names the argument of %s that is wrong: %j', async (name, args, field) => {
    const error = await errorOf(name, args)
    expect(error.code).toBe('invalid_request')
    expect(error.details.fields.map((entry: { field: string }) => entry.field)).toEqual([field])
    expect(error.message).toContain(field)
  })
})

describe('sandboxes of other accounts and anonymous ones', () => {
  it('hides an account’s sandbox from every other account; an anonymous caller with its session id may act', async () => {
    const session_id = await start({}, bearer(lab.token))
    const asOther = bearer(othersToken)
    expect((await errorOf('exec_in_sandbox', { session_id, command: 'true' }, asOther)).code).toBe('not_found')
    expect((await errorOf('grade_drill', { session_id, api_token: othersToken })).code).toBe('not_found')
    expect((await errorOf('stop_drill', { session_id }, asOther)).code).toBe('not_found')
    expect(JSON.parse((await call('exec_in_sandbox', { session_id, command: 'echo here' })).content[0]?.text ?? '')).toMatchObject({
      stdout: 'here\n',
    })
    const asSeen = await call('drill_status', { session_id })
    expect(JSON.stringify(asSeen)).not.toMatch(/account|login|operator|token/)
    expect((await errorOf('drill_status', {})).code).toBe('account_required')
    expect((await call('drill_status', {}, asOther)).structuredContent).toEqual({ drills: [] })
    expect((await call('drill_status', { api_token: lab.token })).structuredContent).toMatchObject({ drills: [{ session_id }] })
    expect(await errorOf('exec_in_sandbox', { session_id, command: 'true', container: 'mainframe' })).toMatchObject({
      code: 'invalid_request',
      resolution_hint: expect.stringContaining('ops'),
    })
    await call('stop_drill', { session_id }, bearer(lab.token))
    expect((await errorOf('exec_in_sandbox', { session_id, command: 'true' })).code).toBe('sandbox_not_running')
    expect((await errorOf('grade_drill', { session_id })).code).toBe('sandbox_not_running')
  })

  it('gives one sandbox to an address, and the sandbox to the account that has it graded', async () => {
    const session_id = await start()
    const full = await errorOf('start_drill', {})
    expect(full).toMatchObject({ code: 'sandbox_limit_reached', resolution_hint: expect.any(String), details: { limit: 1 } })
    expect(full).not.toHaveProperty('retry_after_seconds')
    expect(JSON.stringify(full)).not.toContain(session_id.split('.')[0])
    expect((await lab.call('GET', '/api/v1/sandbox')).body.items).toEqual([])

    const graded = await call('grade_drill', { session_id, api_token: lab.token })
    expect(graded.structuredContent).toMatchObject({ passed: false, checkpoints: expect.any(Array) })
    const { items } = (await lab.call('GET', '/api/v1/evaluations')).body
    expect(items).toEqual([expect.objectContaining({ id: graded.structuredContent?.evaluation_id, course_id: 'scenario-01' })])
    expect((await lab.call('GET', '/api/v1/sandbox')).body.items).toMatchObject([{ session_id }])
    expect(await errorOf('grade_drill', { session_id })).toMatchObject({
      code: 'evaluation_too_soon',
      retry_after_seconds: expect.any(Number),
    })
    expect((await errorOf('grade_drill', { session_id, api_token: othersToken })).code).toBe('not_found')
    await call('stop_drill', { session_id })
  })

  it('means the same by a session id on REST: nobody’s sandbox is open to whoever holds it, an account’s to no other account', async () => {
    const session_id = await start()
    const [mine, others] = [createClient(lab.url, lab.token), createClient(lab.url, othersToken)]
    const exec = (as: typeof mine) => as('POST', '/api/v1/sandbox/exec', { session_id, command: 'echo here' })
    expect([(await exec(mine)).body.stdout, (await exec(others)).body.stdout]).toEqual(['here\n', 'here\n'])
    expect((await createClient(lab.url)('POST', '/api/v1/sandbox/exec', { session_id, command: 'id' })).status).toBe(401)
    expect((await mine('GET', `/api/v1/sandbox/${session_id.split('.')[0]}`)).status).toBe(404)

    const graded = await others('POST', '/api/v1/sandbox/eval', { session_id })
    expect([graded.status, graded.body.passed]).toEqual([200, false])
    expect((await others('GET', '/api/v1/evaluations')).body.items).toMatchObject([{ id: graded.body.evaluation_id }])
    expect((await others('GET', '/api/v1/sandbox')).body.items).toMatchObject([{ session_id }])
    for (const path of ['exec', 'eval', 'hint', 'extend', 'restart', 'stop', 'commands']) {
      const body = { session_id, ...(['exec', 'commands'].includes(path) && { command: 'id' }) }
      expect((await mine('POST', `/api/v1/sandbox/${path}`, body)).status).toBe(404)
    }
    expect((await others('POST', '/api/v1/sandbox/stop', { session_id })).status).toBe(200)
  })

  it('removes a sandbox whose start was withdrawn', async () => {
    const client = new Client({ name: 'test-agent', version: '1.0.0' }, { versionNegotiation: { mode: { pin: revision } } })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${lab.url}/api/v1/mcp`)))
    const patience = new AbortController()
    const started = client.callTool(
      { name: 'start_drill', arguments: {} },
      {
        signal: patience.signal,
        onprogress: ({ message }) => message === 'starting the machines' && patience.abort(new Error('changed my mind')),
      },
    )
    await expect(started).rejects.toThrow()
    expect((await errorOf('start_drill', {})).code).toBe('sandbox_limit_reached')
    let next = await call('start_drill', {})
    while (next.isError === true) {
      await new Promise((resolve) => setTimeout(resolve, 500))
      next = await call('start_drill', {})
    }
    await call('stop_drill', { session_id: next.structuredContent?.session_id })
    await client.close()
  })

  it('writes no token and no session id to the log', () => {
    const log = lab.server.log()
    expect(log).toContain('/api/v1/mcp')
    for (const secret of [lab.token, othersToken, validLooking]) expect(log).not.toContain(secret)
    expect(log).not.toMatch(/session_id":"(?!\[redacted\])/)
  })
})

describe('a client that is not welcome', () => {
  /** fetch does not allow setting the Host header. */
  const statusFor = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { port } = new URL(lab.url)
      const outgoing = httpRequest({ host: '127.0.0.1', port, path: '/api/v1/mcp', method: 'POST', headers }, (response) => {
        response.resume()
        response.once('end', () => resolve(response.statusCode))
      })
      outgoing.once('error', reject)
      outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
    })
  const plain = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

  it('asks for a host that is served here', async () => {
    const { port } = new URL(lab.url)
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])
      expect(await statusFor({ ...plain, host: `${host}:${port}` })).toBe(200)
    for (const host of ['evil.example', `evil.example:${port}`, 'localhost', `localhost:${port}.evil.example`, `evil@localhost:${port}`]) {
      expect(await statusFor({ ...plain, host })).toBe(403)
    }
  })

  it('comes from a page of this machine, if from a page at all', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example', 'file://localhost']) {
      const { status, message, headers } = await send({ body, headers: { origin } })
      expect(status).toBe(403)
      expect(message).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } })
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
    const origin = 'http://localhost:5173'
    const { status, headers } = await send({ body, headers: { origin } })
    expect(status).toBe(200)
    expect(headers.get('access-control-allow-origin')).toBe(origin)
  })

  it('may ask beforehand, as browsers do', async () => {
    const origin = 'http://localhost:5173'
    const { status, headers } = await send({ method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } })
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe(origin)
    for (const name of ['authorization', 'mcp-protocol-version', 'mcp-method', 'mcp-name']) {
      expect(headers.get('access-control-allow-headers')).toContain(name)
    }
    expect((await send({ method: 'OPTIONS', headers: { origin: 'https://evil.example' } })).status).toBe(403)
  })
})

describe('a client that errs', () => {
  const meta = (version = revision) => ({
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  })
  const modern = (method: string, params: Record<string, unknown> = {}, headers: Sent['headers'] = {}) =>
    send({
      body: { jsonrpc: '2.0', id: 7, method, params: { _meta: meta(), ...params } },
      headers: { 'mcp-protocol-version': revision, 'mcp-method': method, ...headers },
    })

  it('posts what is not JSON, not JSON-RPC, not announced as JSON, or too much', async () => {
    expect(await send({ body: '{"jsonrpc": ' })).toMatchObject({ status: 400, message: { error: { code: -32700 } } })
    expect((await send({ body: '' })).status).toBe(400)
    expect((await send({ body: { hello: 'world' } })).status).toBe(400)
    expect((await send({ body: '{}', headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    expect((await send({ body: JSON.stringify({ filler: 'x'.repeat(2 ** 20) }) })).status).toBe(413)
  })

  it('posts in an encoding or a charset that is not read, by either transport', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    for (const path of ['/api/v1/mcp', '/api/v1/mcp/sse']) {
      for (const headers of [
        { 'content-type': 'application/json; charset=utf-16' },
        { 'content-type': 'application/json;charset="iso-8859-1"' },
        { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      ]) {
        const response = await fetch(`${lab.url}${path}`, { method: 'POST', headers, body })
        expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'content-encoding' in headers ? 'identity' : null])
        expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32000, message: expect.any(String) } })
      }
    }
    const plain = { 'content-type': 'application/json; charset=UTF-8', 'content-encoding': 'identity' }
    expect((await send({ body, headers: plain })).status).toBe(200)
  })

  it('uses another method than those of the endpoint', async () => {
    for (const [path, allow] of [
      ['/api/v1/mcp', 'OPTIONS, POST'],
      ['/api/v1/mcp/sse', 'GET, OPTIONS, POST'],
    ] as const) {
      for (const method of ['HEAD', 'DELETE', 'PUT', 'TRACE', 'PROPFIND', ...(allow.includes('GET') ? [] : ['GET'])]) {
        const { status, headers, text } = await sendRaw({ method, path })
        expect([method, status, headers.allow]).toEqual([method, 405, allow])
        if (!['HEAD', 'PROPFIND'].includes(method)) expect(JSON.parse(text).jsonrpc).toBe('2.0')
      }
      const { status, headers } = await sendRaw({ method: 'OPTIONS', path })
      expect([status, headers.allow]).toEqual([204, allow])
    }
  })

  it('asks for a whole URL, as proxies do', async () => {
    const { status, text } = await sendRaw({
      method: 'POST',
      path: `${lab.url}/api/v1/mcp`,
      body: { jsonrpc: '2.0', id: 1, method: 'ping' },
    })
    expect([status, text]).toEqual([200, expect.stringContaining('"id":1')])
  })

  it('speaks an unknown revision', async () => {
    const body = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta: meta('2099-01-01') } }
    expect(await send({ body, headers: { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' } })).toMatchObject({
      status: 400,
      message: { id: 7, error: { code: -32022, data: { supported: [revision], requested: '2099-01-01' } } },
    })
    const bare = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
    const { remotes } = (await lab.call('GET', '/.well-known/mcp.json')).body
    const served: string[] = remotes[0].supportedProtocolVersions
    for (const version of ['1999-01-01', '2024-11-05']) {
      const { status, message } = await send({ body: bare, headers: { 'mcp-protocol-version': version } })
      expect([status, message.error.message.match(/[\d-]{10}/g)]).toEqual([400, [version, ...served]])
    }
    for (const version of served.slice(1)) {
      expect((await send({ body: bare, headers: { 'mcp-protocol-version': version } })).status).toBe(200)
    }
  })

  it.each([
    ['no version', { 'mcp-protocol-version': undefined }],
    ['no method', { 'mcp-method': undefined }],
    ['another method', { 'mcp-method': 'tools/call' }],
    ['another version', { 'mcp-protocol-version': '2025-11-25' }],
  ])('sends headers that do not match the body: %s', async (_case, headers) => {
    expect(await modern('tools/list', {}, headers)).toMatchObject({ status: 400, message: { id: 7, error: { code: -32020 } } })
  })

  it('leaves out the name of the tool in the header, or names another', async () => {
    for (const name of [undefined, 'start_drill']) {
      const answer = await modern('tools/call', { name: 'stop_drill', arguments: { session_id: 'x' } }, { 'mcp-name': name })
      expect(answer).toMatchObject({ status: 400, message: { error: { code: -32020 } } })
    }
  })

  it('leaves out _meta or a field of it, and is told which', async () => {
    const [version, capabilities] = ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities']
    for (const [params, missing] of [
      [undefined, ['params._meta', version, capabilities]],
      [{ _meta: {} }, ['params._meta', version, capabilities]],
      [{ _meta: { [version]: revision } }, ['params._meta', capabilities]],
    ] as const) {
      const body = { jsonrpc: '2.0', id: 7, method: 'tools/list', params }
      const answer = await send({ body, headers: { 'mcp-protocol-version': revision, 'mcp-method': 'tools/list' } })
      expect(answer).toMatchObject({ status: 400, message: { id: 7, error: { code: -32602 } } })
      for (const field of missing) expect(answer.message.error.message).toContain(field)
      expect(answer.message.error.message).not.toContain('envelope')
    }
  })

  it('sends parameters of a wrong type, and is told so in words that people use', async () => {
    const wrong = [
      ['tools/call', { name: 7, arguments: {} }, 'params.name: must be a string'],
      ['tools/call', { name: 'stop_drill', arguments: null }, 'params.arguments: must be an object'],
      ['tools/call', { name: 'stop_drill', arguments: [] }, 'params.arguments: must be an object'],
      ['resources/read', {}, 'params.uri: is required'],
      ['resources/read', { uri: 5 }, 'params.uri: must be a string'],
      ['prompts/get', { name: 'resolve_incident', arguments: { course_id: 5 } }, 'course_id: must be a string'],
      ['initialize', {}, 'params.protocolVersion: is required'],
      ['completion/complete', { ref: { type: 'ref/prompt', name: 'constructor' }, argument: { name: 'x', value: '' } }, 'constructor'],
    ] as const
    for (const [method, params, problem] of wrong) {
      const { status, message } = await send({ body: { jsonrpc: '2.0', id: 7, method, params } })
      expect([method, status, message.id, message.error]).toEqual([
        ...[method, 200, 7],
        { code: -32602, message: expect.stringContaining(problem) },
      ])
      expect(message.error.message).not.toMatch(/expected|received|\n|invalid_type/)
    }
    const ref = { type: 'ref/resource', uri: 'lab://courses/{id}' }
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const { message } = await send({
        body: { jsonrpc: '2.0', id: 7, method: 'completion/complete', params: { ref, argument: { name, value: '' } } },
      })
      expect(message.result?.completion.values).toEqual([])
    }
    const untyped = await modern('tools/list', { _meta: { ...meta(), 'io.modelcontextprotocol/protocolVersion': 5 } })
    expect(untyped).toMatchObject({ status: 400, message: { id: 7 } })
    expect(JSON.stringify(untyped.message)).not.toMatch(/received/)
    expect(lab.server.log()).not.toContain('an MCP request failed')
  })

  it('asks for a method, a tool, a resource or a prompt that does not exist', async () => {
    expect(await modern('tools/invent')).toMatchObject({ status: 404, message: { id: 7, error: { code: -32601 } } })
    const unknown = [
      ['tools/call', { name: 'invent', arguments: {} }, 'invent', 'tools/list lists them'],
      ['tools/call', { name: 'start_dril', arguments: {} }, 'start_dril', 'did you mean `start_drill`?'],
      ['resources/read', { uri: 'lab://courses/none' }, 'lab://courses/none', ''],
      ['prompts/get', { name: 'resolve_incidents' }, 'resolve_incidents', 'did you mean `resolve_incident`?'],
    ] as const
    for (const [method, params, name, hint] of unknown) {
      const { status, message } = await modern(method, params, { 'mcp-name': name })
      expect([status, message.error]).toMatchObject([200, { code: -32602, message: expect.stringContaining(hint) }])
      expect(message.error.message).toContain(name)
    }
  })

  it('gets a tool result for a failure, and 202 for a notification', async () => {
    const answer = await modern('tools/call', { name: 'stop_drill', arguments: { session_id: 'x' } }, { 'mcp-name': 'stop_drill' })
    expect(answer).toMatchObject({ status: 200, message: { id: 7, result: { isError: true, resultType: 'complete' } } })
    const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { _meta: meta(), requestId: 1 } }
    const headers = { 'mcp-protocol-version': revision, 'mcp-method': 'notifications/cancelled' }
    expect((await send({ body, headers })).status).toBe(202)
  })
})
