// Clients that disconnect at random moments of a start, a command or a grading, by every transport: nothing of them is left.

import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deep } from '../support/deep.ts'
import { type Agent, connectAgent, grade, ways } from '../support/mcp.ts'
import { createRandom, seedsOf } from '../support/random.ts'
import { type MortalLab, smallCatalog, startMortalLab } from '../support/server.ts'

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

const post = (url: string, body: object, headers: Record<string, string>, signal: AbortSignal) =>
  fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal,
  })

/** Sends a call and reads its answer, until the signal. */
const transports = {
  modern: async (name: string, args: object, signal: AbortSignal) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { _meta: meta, name, arguments: args } }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
    return (await post(`${lab.url()}/api/v1/mcp`, body, headers, signal)).text()
  },
  legacy: async (name: string, args: object, signal: AbortSignal) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
    return (await post(`${lab.url()}/api/v1/mcp`, body, {}, signal)).text()
  },
  events: async (name: string, args: object, signal: AbortSignal) => {
    const stream = await fetch(`${lab.url()}/api/v1/mcp/sse`, { signal })
    let text = ''
    for await (const chunk of stream.body ?? []) {
      text += Buffer.from(chunk).toString()
      const address = /^event: endpoint\ndata: (\S+)\n\n$/.exec(text)?.[1]
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
      if (address !== undefined) await post(`${lab.url()}${address}`, body, {}, signal)
    }
    return text
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
  for (let moment = 0; moment < moments; moment += 1) {
    // The first ones are each call by each transport, the others any.
    const name = names[moment % names.length] as (typeof names)[number]
    const kind = moment < 9 ? (kinds[Math.floor(moment / 3)] as (typeof kinds)[number]) : random.pick(kinds)
    const patience = new AbortController()
    const call = transports[kind](name, calls[name](), patience.signal).catch(() => undefined)
    await Promise.race([delay(random.below(3_000)), call])
    patience.abort()
    await call
  }

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
  expect(lab.log()).not.toMatch(/"level":"(error|fatal)"/)
})
