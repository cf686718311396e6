import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { McpServer } from '@modelcontextprotocol/server'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Caller } from '../accounts/caller.ts'
import { readMessage } from './message.ts'
import type { Exchange } from './server.ts'
import { createSse, type SseOptions } from './sse.ts'

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.closeAllConnections()
})

/** A real HTTP server with the event streams only: the caller is who the header says. */
const serve = async (options: Partial<SseOptions> = {}) => {
  const current = new AsyncLocalStorage<Exchange>()
  const held = Promise.withResolvers<void>()
  const ended: string[] = []
  const createMcpServer = () => {
    const server = new McpServer({ name: 'test', version: '1' })
    server.registerTool('whose', { inputSchema: z.object({}) }, () => ({
      content: [{ type: 'text', text: current.getStore()?.requestId ?? '' }],
    }))
    server.registerTool('print', { inputSchema: z.object({}) }, () => ({ content: [{ type: 'text', text: 'x'.repeat(16 * 2 ** 20) }] }))
    server.registerTool('wait', { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
      const call = Promise.race([held.promise, new Promise((resolve) => mcpReq.signal.addEventListener('abort', resolve))])
      current.getStore()?.onRun?.(call)
      await call
      ended.push(mcpReq.signal.aborted ? 'aborted' : 'done')
      return { content: [] }
    })
    return server
  }
  const limits = { mcpStreams: 5, networkMcpStreams: 3 }
  const sse = createSse({ path: '/sse', createServer: createMcpServer, current, limits, ...options })
  let count = 0
  const server = createServer(async (request, response) => {
    const address = String(request.headers['x-address'] ?? '192.0.2.1')
    const account = request.headers['x-account']
    const sender: Caller =
      account === undefined ? { kind: 'anonymous', address } : { kind: 'account', accountId: String(account), role: 'member' }
    const reading = request.method === 'POST' ? await readMessage(request, 10_000) : { message: {} }
    const message = 'message' in reading ? reading.message : {}
    count += 1
    const counted = { rateClass: 'read', allowance: null, tool: null, sender, caller: () => sender } as const
    const received = { address, requestId: `request ${count}`, ...counted, message }
    await sse.handle(received, request, response)
  })
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`

  /** An event stream, and what came on it so far. */
  const listen = async (headers: Record<string, string> = {}) => {
    const patience = new AbortController()
    const response = await fetch(`${url}/sse`, { headers, signal: patience.signal })
    const stream = { status: response.status, text: '', ended: false, close: () => patience.abort() }
    const read = async () => {
      for await (const chunk of response.body ?? []) stream.text += Buffer.from(chunk).toString()
    }
    read()
      .catch(() => undefined)
      .finally(() => {
        stream.ended = true
      })
    await expect.poll(() => stream.text).not.toBe('')
    const address = /^event: endpoint\ndata: (\S+)\n\n/.exec(stream.text)?.[1] ?? ''
    return Object.assign(stream, { address })
  }
  const post = (address: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url}${address}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  return { listen, post, url, port, held, ended, close: sse.close }
}

const call = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } })
const initialize = {
  ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
  params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
}

describe('an event stream', () => {
  it('says where to post, and answers there by events, each call with the request that it came by', async () => {
    const { listen, post } = await serve()
    const stream = await listen()
    expect([stream.status, stream.address]).toEqual([200, expect.stringMatching(/^\/sse\?stream_id=[\w-]{43}$/)])
    const accepted = await post(stream.address, initialize)
    expect([accepted.status, await accepted.text()]).toEqual([202, 'Accepted'])
    await expect.poll(() => stream.text).toContain('"protocolVersion":"2024-11-05"')
    await post(stream.address, call(1, 'whose'))
    await post(stream.address, call(2, 'whose'))
    await expect.poll(() => [...stream.text.matchAll(/^event: message\ndata: (.+)\n\n/gm)].length).toBe(3)
    const answers = [...stream.text.matchAll(/^data: (\{.+)$/gm)].slice(1).map(([, data]) => JSON.parse(data as string))
    expect(answers.map(({ id, result }) => [id, result.content[0].text])).toEqual([
      [1, 'request 3'],
      [2, 'request 4'],
    ])
  })

  it('is only for the network or the account that opened it', async () => {
    const { listen, post } = await serve()
    const anonymous = await listen({ 'x-address': '2001:db8:1:2::1' })
    const owned = await listen({ 'x-account': 'a', 'x-address': '192.0.2.7' })
    const status = async (address: string, headers: Record<string, string>) => (await post(address, call(1, 'whose'), headers)).status
    expect(await status(anonymous.address, { 'x-address': '2001:db8:1:2:3::9' })).toBe(202)
    expect(await status(anonymous.address, { 'x-address': '2001:db8:1:3::1' })).toBe(404)
    expect(await status(anonymous.address, { 'x-address': '2001:db8:1:2::1', 'x-account': 'a' })).toBe(404)
    expect(await status(owned.address, { 'x-address': '192.0.2.99', 'x-account': 'a' })).toBe(202)
    expect(await status(owned.address, { 'x-address': '192.0.2.7', 'x-account': 'b' })).toBe(404)
    expect(await status(owned.address, { 'x-address': '192.0.2.7' })).toBe(404)
    for (const address of ['/sse', '/sse?stream_id=', `/sse?stream_id=${'A'.repeat(43)}`]) expect(await status(address, {})).toBe(404)
  })

  it('is one of a few of a network, and of all networks together', async () => {
    const { listen } = await serve()
    const from = (address: string) => listen({ 'x-address': address })
    const mine = [await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.1')]
    const refused = await from('192.0.2.1')
    expect([refused.status, JSON.parse(refused.text).error.data.code]).toEqual([429, 'too_many_connections'])
    expect([(await from('192.0.2.2')).status, (await from('192.0.2.3')).status, (await from('192.0.2.4')).status]).toEqual([200, 200, 429])
    mine[0]?.close()
    await expect.poll(async () => (await from('192.0.2.1')).status).toBe(200)
  })

  it('is kept alive by comments, and closed when nobody has asked anything for long', async () => {
    const { listen } = await serve({ keepAliveMs: 20, idleMs: 300 })
    const stream = await listen()
    await expect.poll(() => stream.text).toContain(': keep-alive\n\n')
    await expect.poll(() => stream.ended).toBe(true)
  })

  it('that is closed before its client has read everything takes no more messages, and nothing is written to it', async () => {
    const { post, port } = await serve({ keepAliveMs: 20, idleMs: 200 })
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /sse HTTP/1.1\r\nconnection: close\r\nhost: x\r\n\r\n')
    const [, address = ''] = await new Promise<string[]>((resolve) => {
      socket.once('data', (chunk) => {
        socket.pause()
        resolve(/data: (\S+)/.exec(String(chunk)) ?? [])
      })
    })
    expect((await post(address, call(1, 'print'))).status).toBe(202)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect((await post(address, call(2, 'whose'))).status).toBe(404)
    let last = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      last = Buffer.concat([last, chunk]).subarray(-2_000)
    })
    socket.resume()
    await new Promise((resolve) => socket.once('end', resolve))
    expect(last.toString()).toMatch(/"id":1\}\n\n\r\n(?:e\r\n: keep-alive\n\n\r\n)*0\r\n\r\n$/) // they may come before it is closed
  })

  it('ends its calls with its connection, and takes its place with it', async () => {
    const { listen, post, ended, port } = await serve({ limits: { mcpStreams: 1, networkMcpStreams: 1 } })
    const stream = await listen()
    await post(stream.address, call(1, 'wait'))
    stream.close()
    await expect.poll(() => ended).toEqual(['aborted'])
    await expect.poll(async () => (await post(stream.address, call(2, 'whose'))).status).toBe(404)
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /sse HTTP/1.1\r\nhost: x\r\n\r\n')
    await new Promise((resolve) => socket.once('data', resolve))
    socket.resetAndDestroy()
    await expect.poll(async () => (await listen()).status).toBe(200)
  })

  it('bounds the calls that are in progress on it', async () => {
    const { listen, post, held, ended } = await serve()
    const stream = await listen()
    const statuses = []
    for (let id = 1; id <= 33; id += 1) statuses.push((await post(stream.address, call(id, 'wait'))).status)
    expect(statuses).toEqual([...Array(32).fill(202), 429])
    held.resolve()
    await expect.poll(() => ended.length).toBe(32)
    expect((await post(stream.address, call(34, 'whose'))).status).toBe(202)
  })

  it('refuses what is no JSON-RPC message', async () => {
    const { listen, post } = await serve()
    const stream = await listen()
    expect((await post(stream.address, { hello: 'world' })).status).toBe(400)
  })

  it('is closed with the service', async () => {
    const { listen, close } = await serve()
    const stream = await listen()
    close()
    await expect.poll(() => stream.ended).toBe(true)
  })
})
