// Limits on MCP requests: one message each, counted for the tool that it runs, per network and per account.

import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Lab, smallCatalog, startLab, writeRates } from '../support/server.ts'

const rates = { read: 40, write: 30, start: 4, exec: 3, auth: 5 }

let lab: Lab

beforeAll(async () => {
  lab = await startLab({
    ...smallCatalog,
    LAB_RATE_LIMIT_SCALE: '1',
    LAB_RATES_ANONYMOUS: writeRates(rates),
    LAB_TRUSTED_PROXIES: '127.0.0.1',
    LAB_ANONYMOUS_SANDBOXES: '1',
    LAB_ACCOUNT_SANDBOXES: '1',
    LAB_EVALUATION_SPACING_SECONDS: '0',
    LAB_NETWORK_MCP_STREAMS: '2',
  })
})
afterAll(() => lab?.close())

const post = async (body: string, address: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${lab.url}/api/v1/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-forwarded-for': address,
      ...headers,
    },
    body,
  })
  const text = await response.text()
  const data = text.split('\n').filter((line) => line.startsWith('data: '))
  const message = JSON.parse(data.at(-1)?.slice('data: '.length) ?? text)
  return { status: response.status, headers: response.headers, text, message }
}

const toolCall = (name: string, args: object) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
const exec = toolCall('exec_in_sandbox', { session_id: 'x', command: 'true' })

/** The result of a tool, or its error. */
const call = async (name: string, args: object, address: string) => {
  const { message } = await post(JSON.stringify(toolCall(name, args)), address)
  const { isError, structuredContent, content } = message.result
  return isError === true ? JSON.parse(content[0].text) : structuredContent
}

describe('a body', () => {
  it('is one message: an array is refused, whatever is in it, and runs nothing', async () => {
    for (const batch of [[], [exec], Array(100).fill(exec)]) {
      const { status, message } = await post(JSON.stringify(batch), '192.0.2.1')
      expect([status, message.error?.code, message.id]).toEqual([400, -32600, null])
    }
    const { headers, message } = await post(JSON.stringify(exec), '192.0.2.1')
    expect(headers.get('ratelimit-remaining')).toBe(String(rates.exec - 1))
    expect(message.result.isError).toBe(true)
  })

  it('with a byte-order mark is refused; without one it is counted as what it runs', async () => {
    const marked = await post(`\ufeff${JSON.stringify(exec)}`, '192.0.2.2')
    expect([marked.status, marked.message.error?.code]).toEqual([400, -32700])
    const answers = []
    for (let count = 0; count <= rates.exec; count += 1) answers.push((await post(JSON.stringify(exec), '192.0.2.2')).status)
    expect(answers).toEqual([...Array(rates.exec).fill(200), 429])
  })

  it('with very many fields gets a short answer', async () => {
    const many = Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`k${index}`, 1]))
    const args = await post(JSON.stringify(toolCall('stop_drill', many)), '192.0.2.3')
    expect(args.text.length).toBeLessThan(10_000)
    expect([args.status, args.message.error?.code]).toEqual([400, -32700])
    const some = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, 1]))
    const { error } = await call('stop_drill', some, '192.0.2.3')
    expect([error.code, error.details.fields.length, error.details.more_fields]).toEqual(['invalid_request', 20, 281])
    const prompt = { jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: 'resolve_incident', arguments: some } }
    expect((await post(JSON.stringify(prompt), '192.0.2.3')).text.length).toBeLessThan(10_000)
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
    const modern = JSON.stringify({ ...prompt, params: { ...prompt.params, _meta: meta } })
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'prompts/get', 'mcp-name': 'resolve_incident' }
    const answer = await post(modern, '192.0.2.3', headers)
    expect(answer.message.error.message.length).toBeLessThanOrEqual(1_000)
  })
})

it('every request is counted, whatever its answer: of a foreign page, beforehand as browsers ask, by a wrong method', async () => {
  const address = '192.0.2.30'
  const left: number[] = []
  for (const path of ['/api/v1/mcp', '/api/v1/mcp/sse']) {
    for (const { method, status, headers } of [
      { method: 'POST', status: 403, headers: { origin: 'https://evil.example' } },
      { method: 'OPTIONS', status: 204, headers: { origin: 'http://localhost:5173' } },
      { method: 'DELETE', status: 405, headers: {} },
      { method: 'POST', status: 415, headers: { 'content-type': 'text/plain' } },
    ]) {
      const response = await fetch(`${lab.url}${path}`, { method, headers: { 'x-forwarded-for': address, ...headers } })
      expect([path, method, response.status]).toEqual([path, method, status])
      left.push(Number(response.headers.get('ratelimit-remaining')))
    }
  }
  expect(left).toEqual(left.map((_, index) => rates.read - 1 - index))
})

describe('a long body', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const remaining = ({ headers }: { headers: Headers }) => Number(headers.get('ratelimit-remaining'))
  const long = (message: object) => JSON.stringify({ ...message, padding: 'x'.repeat(100_000) })

  it('counts once, as what it runs', async () => {
    const address = '192.0.2.20'
    expect(remaining(await post(long(list), address))).toBe(rates.read - 1)
    expect(remaining(await post(long(exec), address))).toBe(rates.exec - 1)
    expect(remaining(await post(JSON.stringify(list), address))).toBe(rates.read - 2)
  })

  it('of a network that has no read left is refused unread; short ones are read, and the connection serves on', async () => {
    const address = '192.0.2.21'
    const useUp = async () => {
      while ((await post(JSON.stringify(list), address)).status !== 429);
    }
    await useUp()
    const refused = await post(long(exec), address)
    expect([refused.status, refused.message.error?.code, refused.message.id]).toEqual([429, 429, null])
    expect([refused.headers.get('ratelimit-remaining'), Number(refused.headers.get('retry-after'))]).toEqual(['0', expect.any(Number)])
    expect((await post(JSON.stringify(exec), address)).status).toBe(200)

    const body = long(list)
    const head = (path: string, from: string, length: number) =>
      `POST ${path} HTTP/1.1\r\nhost: ${new URL(lab.url).host}\r\nx-forwarded-for: ${from}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: ${length}\r\n\r\n`
    const socket = connect(Number(new URL(lab.url).port), '127.0.0.1')
    let said = ''
    socket.on('data', (chunk) => {
      said += chunk
    })
    const statuses = () => [...said.matchAll(/^HTTP\/1.1 (\d+)/gm)].map(([, status]) => Number(status))
    await useUp()
    socket.write(head('/api/v1/mcp', address, body.length))
    await expect.poll(statuses).toEqual([429])
    const short = JSON.stringify(list)
    socket.write(`${body}${head('/api/v1/mcp', '192.0.2.22', short.length)}${short}`)
    await expect.poll(statuses).toEqual([429, 200])
    socket.destroy()
  })
})

describe('a tool', () => {
  it.each([
    ['list_courses', 'GET', '/courses'],
    ['drill_status', 'GET', '/sandbox'],
    ['start_drill', 'POST', '/sandbox/start'],
    ['exec_in_sandbox', 'POST', '/sandbox/exec'],
    ['start_command', 'POST', '/sandbox/commands'],
    ['list_commands', 'GET', '/sandbox/x/commands'],
    ['read_output', 'GET', '/sandbox/x/commands/y'],
    ['stop_command', 'DELETE', '/sandbox/x/commands/y'],
    ['restart_container', 'POST', '/sandbox/restart'],
    ['get_hint', 'POST', '/sandbox/hint'],
    ['grade_drill', 'POST', '/sandbox/eval'],
    ['extend_drill', 'POST', '/sandbox/extend'],
    ['stop_drill', 'POST', '/sandbox/stop'],
  ])('is counted like the REST operation that does the same, from the same bucket: %s', async (tool, method, path) => {
    const address = `2001:db8:${Buffer.from(tool).readUInt16BE(2).toString(16)}:${tool.length}::1`
    const rest = await fetch(`${lab.url}/api/v1${path}`, { method, headers: { 'x-forwarded-for': address } })
    const { headers } = await post(JSON.stringify(toolCall(tool, { course_id: 'none' })), address)
    const left = (of: Headers) => [of.get('ratelimit-limit'), Number(of.get('ratelimit-remaining'))] as const
    const [limit, before] = left(rest.headers)
    expect(left(headers)).toEqual([limit, before - 1])
  })
})

it('a reached limit is told as on REST: which class, and what helps', async () => {
  const address = '192.0.2.50'
  const refusal = async (ask: () => Promise<Response>) => {
    let response = await ask()
    while (response.status !== 429) response = await ask()
    return ((await response.json()) as { error: { message: string; resolution_hint: string; details: { class: string } } }).error
  }
  const ask = (path: string, init: RequestInit) => () =>
    fetch(`${lab.url}/api/v1${path}`, { ...init, headers: { 'x-forwarded-for': address, ...init.headers } })
  const calling = (name: string, authorization?: string) =>
    ask('/mcp', {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        ...(authorization && { authorization }),
      },
      body: JSON.stringify(toolCall(name, { course_id: 'none' })),
    })
  for (const { rateClass, rest, mcp } of [
    { rateClass: 'start', rest: ask('/sandbox/start', { method: 'POST' }), mcp: calling('start_drill') },
    {
      ...{ rateClass: 'auth', rest: ask('/courses', { headers: { authorization: 'Bearer nope' } }) },
      mcp: calling('list_courses', 'Bearer nope'),
    },
  ]) {
    const { message, resolution_hint, details } = await refusal(rest)
    expect([details.class, resolution_hint]).toEqual([rateClass, expect.any(String)])
    expect(await refusal(mcp)).toEqual({
      ...{ code: 429, message },
      data: { code: 'rate_limited', resolution_hint, details, retry_after_seconds: expect.any(Number) },
    })
  }
})

describe('an event stream', () => {
  const listen = async (address: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${lab.url}/api/v1/mcp/sse`, { headers: { 'x-forwarded-for': address, ...headers } })
    const reader = response.body?.getReader()
    const first = Buffer.from((await reader?.read())?.value ?? []).toString()
    return { response, path: /data: (\S+)/.exec(first)?.[1] ?? '', close: () => reader?.cancel() }
  }
  const send = (path: string, body: string, address: string, headers: Record<string, string> = {}) =>
    fetch(`${lab.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address, ...headers },
      body,
    })

  it('counts what is posted as what it runs, in the bucket of its network, and refuses what exceeds it', async () => {
    const address = '192.0.2.40'
    const { path, close } = await listen(address)
    const call = JSON.stringify(toolCall('exec_in_sandbox', { session_id: 'x', command: 'true' }))
    expect((await post(call, address)).headers.get('ratelimit-remaining')).toBe(String(rates.exec - 1))
    const answers = []
    for (let count = 0; count < rates.exec; count += 1) answers.push(await send(path, call, address))
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 429])
    expect(answers[0]?.headers.get('ratelimit-remaining')).toBe(String(rates.exec - 2))
    expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(0)
    await close()
  })

  it('has the same bounds for bodies, hosts and origins', async () => {
    const address = '192.0.2.41'
    const { path, response, close } = await listen(address)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect((await send(path, `[${JSON.stringify(exec)}]`, address)).status).toBe(400)
    expect((await send(path, JSON.stringify({ filler: 'x'.repeat(2 ** 20) }), address)).status).toBe(413)
    expect((await send(path, JSON.stringify(exec), address, { 'content-type': 'text/plain' })).status).toBe(415)
    for (const origin of ['https://evil.example', 'null']) {
      expect((await send(path, JSON.stringify(exec), address, { origin })).status).toBe(403)
      expect((await listen(address, { origin })).response.status).toBe(403)
    }
    expect((await send(path, JSON.stringify(exec), '192.0.2.42')).status).toBe(404)
    expect((await send(path, JSON.stringify(exec), address, { authorization: `Bearer ${lab.token}` })).status).toBe(404)
    const preflight = await fetch(`${lab.url}${path}`, { method: 'OPTIONS', headers: { origin: 'http://localhost:5173' } })
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'GET, POST'])
    await close()
    await expect.poll(async () => (await send(path, JSON.stringify({ ...exec, method: 'ping' }), address)).status).toBe(404)
  })

  it('is one of few of a network', async () => {
    const address = '192.0.2.43'
    const open = [await listen(address), await listen(address)]
    expect((await listen(address)).response.status).toBe(429)
    for (const { close } of open) await close()
    await expect.poll(async () => (await listen(address)).response.status).toBe(200)
  })
})

it('a subscription ends at once, whatever it asks for, so that no client can hold all of them', async () => {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
  const notifications = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: ['courses://all'],
  }
  const body = { jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params: { _meta: meta, notifications } }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }
  const { text, message } = await post(JSON.stringify(body), '192.0.2.23', headers)
  expect(text).toContain('notifications/subscriptions/acknowledged')
  expect([message.id, message.result?.resultType]).toEqual([7, 'complete'])
})

describe('places', () => {
  let session_id: string

  it('without an account are counted by network: a /64 has one, and so has its neighbour', async () => {
    const first = await call('start_drill', {}, '2001:db8:0:1::1')
    expect(first).toMatchObject({ status: 'running' })
    const second = await call('start_drill', {}, '2001:db8:0:1:ffff::2')
    expect(second.error?.code).toBe('sandbox_limit_reached')
    session_id = first.session_id
  })

  it('of an account include those that are assigned to it by grading', async () => {
    const own = (await lab.call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })).body
    const grade = () => call('grade_drill', { session_id, api_token: lab.token }, '192.0.2.4')
    expect((await grade()).error).toMatchObject({ code: 'sandbox_limit_reached', resolution_hint: expect.any(String) })
    const ids = async () => (await lab.call('GET', '/api/v1/sandbox')).body.items.map((item: { id: string }) => item.id)
    expect(await ids()).toEqual([own.id])
    await lab.call('POST', '/api/v1/sandbox/stop', { session_id: own.session_id })
    expect(await grade()).toMatchObject({ passed: false })
    expect(await ids()).toEqual([session_id.split('.')[0]])
  })
})
