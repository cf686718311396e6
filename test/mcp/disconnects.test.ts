// Clients that disconnect at random moments of a start, a command or a grading, by every transport: nothing of them is left.

import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Agent, connectAgent, grade, ways } from '../support/mcp.ts'
import { createRandom, seedsOf } from '../support/random.ts'
import { type MortalLab, smallCatalog, startMortalLab } from '../support/server.ts'
import { deep } from '../support/test-mode.ts'

const moments = deep ? 50 : 9
const streams = 4

let lab: MortalLab
let agent: Agent
let session_id: string

beforeAll(async () => {
  lab = await startMortalLab({
    ...smallCatalog,
    LAB_ANONYMOUS_SANDBOXES: '20',
    LAB_CAPACITY: '40',
    LAB_EVALUATION_SPACING_SECONDS: '0',
    LAB_EVALUATIONS: '100',
    LAB_NETWORK_MCP_STREAMS: String(streams),
  })
  agent = await connectAgent(lab.url(), ways[0])
  session_id = (await agent.call('start_drill')).session_id
})
afterAll(async () => {
  await agent?.close()
  await lab?.close()
})

const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }

/**
 * A request whose client can leave at any moment. It hears what was sent before the server noticed: an answer that was under way then is
 * one that the client has, and only it knows.
 */
const send = (method: string, path: string, headers: Record<string, string>, body?: object) => {
  const closed = Promise.withResolvers<void>()
  const line = {
    heard: '',
    cut: async () => {
      outgoing.socket?.end()
      await Promise.race([closed.promise, delay(2_000)])
      outgoing.destroy()
    },
  }
  const outgoing = request(`${lab.url()}${path}`, {
    method,
    agent: false,
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
  })
  const ignore = () => undefined
  outgoing.on('error', ignore).on('close', closed.resolve)
  outgoing.on('response', (response) => {
    response.on('error', ignore)
    response.on('data', (chunk: Buffer) => {
      line.heard += chunk
    })
  })
  outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  return line
}

const toolCall = (name: string, args: object, extra: object = {}) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { ...extra, name, arguments: args },
})

const transports = {
  modern: async (name: string, args: object) => {
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
    return send('POST', '/api/v1/mcp', headers, toolCall(name, args, { _meta: meta }))
  },
  legacy: async (name: string, args: object) => send('POST', '/api/v1/mcp', {}, toolCall(name, args)),
  events: async (name: string, args: object) => {
    const stream = send('GET', '/api/v1/mcp/sse', {})
    const address = () => /^event: endpoint\ndata: (\S+)\n\n/.exec(stream.heard)?.[1]
    await expect.poll(address).toBeDefined()
    send('POST', address() ?? '', {}, toolCall(name, args))
    return stream
  },
} as const

const calls = {
  start_drill: () => ({}),
  exec_in_sandbox: () => ({ session_id, command: 'sleep 2.5; echo unheard', timeout_seconds: 3 }),
  grade_drill: () => ({ session_id }),
} as const

it.each(seedsOf(1))(`${moments} disconnects leave nothing behind (seed %i)`, async (seed) => {
  const random = createRandom(seed)
  const names = Object.keys(calls) as (keyof typeof calls)[]
  const kinds = Object.keys(transports) as (keyof typeof transports)[]
  const durations: Record<keyof typeof calls, number> = { start_drill: 2_500, exec_in_sandbox: 2_500, grade_drill: 2_500 }
  let cut = 0
  // A call that was answered before its client left is no disconnect, but tells how long such a call takes on this machine.
  for (let tries = 0; cut < moments && tries < 5 * moments; tries += 1) {
    // The first ones are each call by each transport, the others any.
    const name = names[cut % names.length] as (typeof names)[number]
    const kind = cut < 9 ? (kinds[Math.floor(cut / 3)] as (typeof kinds)[number]) : random.pick(kinds)
    const line = await transports[kind](name, calls[name]())
    const isAnswered = () => line.heard.includes('"result"')
    const patienceMs = random.below(durations[name])
    const began = performance.now()
    while (!isAnswered() && performance.now() - began < patienceMs) await delay(5)
    await line.cut()
    const [, delivered] = /session_id\\?":\\?"([0-9a-z.]+)/.exec(line.heard) ?? []
    if (delivered !== undefined) await agent.call('stop_drill', { session_id: delivered }) // it was quicker than the client
    expect(line.heard).not.toContain('"error":{')
    if (line.heard.includes('"isError":true'))
      await delay(100) // a grading is still under way
    else if (isAnswered()) durations[name] = performance.now() - began
    else cut += 1
  }
  expect(cut).toBe(moments)

  const own = session_id.split('.')[0]
  const live = async () => (await lab.inside.store.sandboxes.listLive()).map(({ id }) => id)
  await expect.poll(live).toEqual([own])
  await expect.poll(async () => (await lab.inside.engine.list()).map(({ id }) => id)).toEqual([own])
  const sleeping = async () => (await agent.call('exec_in_sandbox', { session_id, command: 'pgrep -c -f "sleep 2[.]5"' })).stdout
  await expect.poll(sleeping).toBe('0\n')

  const graded = () => agent.result('grade_drill', { session_id })
  await expect.poll(async () => (await graded()).isError ?? false).toBe(false) // one may be in progress still
  expect(await grade(graded)).toMatchObject({ passed: false })

  const opened = await Promise.all(Array.from({ length: streams }, () => fetch(`${lab.url()}/api/v1/mcp/sse`)))
  expect(opened.map(({ status }) => status)).toEqual(Array(streams).fill(200))
  for (const { body } of opened) await body?.cancel()
  expect(lab.log()).not.toMatch(/an MCP request failed|unhandled/i)
})
