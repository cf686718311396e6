// A complete drill with the client of the MCP SDK, in both revisions of the protocol that the endpoint serves.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { CourseDetail } from '../../src/contract/course.ts'
import { Evaluation, stepNames } from '../../src/contract/evaluation.ts'
import { SandboxExecResponse, SandboxSession } from '../../src/contract/sandbox.ts'
import { root } from '../support/engine.ts'
import { type Lab, startLab } from '../support/server.ts'

const scenario = join(root, 'scenarios/scenario-01')
const solution = parse(readFileSync(join(scenario, 'solutions/reference.yaml'), 'utf8')) as { steps: { in: string; run: string }[] }
const debrief = readFileSync(join(scenario, 'debrief.md'), 'utf8')

let lab: Lab

beforeAll(async () => {
  lab = await startLab({ LAB_ANONYMOUS_SANDBOXES: '5' })
})
afterAll(() => lab.close())

const ways = [
  { revision: '2026-07-28', mode: { pin: '2026-07-28' } },
  { revision: '2025-11-25', mode: 'legacy' },
] as const

describe.each(ways)('an agent that speaks $revision', ({ revision, mode }) => {
  let client: Client
  let sessionId: string

  beforeAll(async () => {
    client = new Client({ name: 'test-agent', version: '1.0.0' }, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${lab.url}/api/v1/mcp`)))
  })
  afterAll(() => client.close())

  const call = async (name: string, args: Record<string, unknown>, news: string[] = []) => {
    const result = await client.callTool(
      { name, arguments: args },
      { onprogress: ({ message }) => news.push(message ?? ''), resetTimeoutOnProgress: true },
    )
    expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false)
    const [text] = result.content
    expect(text?.type === 'text' && JSON.parse(text.text)).toEqual(result.structuredContent)
    return result.structuredContent
  }

  const exec = async (command: string, container?: string) =>
    SandboxExecResponse.parse(await call('exec_in_sandbox', { session_id: sessionId, command, ...(container && { container }) }))

  it('is told what there is', async () => {
    expect(client.getNegotiatedProtocolVersion()).toBe(revision)
    expect(client.getServerVersion()?.name).toBe('incident-lab')
    for (const word of ['start_drill', 'exec_in_sandbox', 'grade_drill', 'stop_drill']) expect(client.getInstructions()).toContain(word)
  })

  it('finds four tools, always in the same order, each with its shapes and annotations', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['exec_in_sandbox', 'grade_drill', 'start_drill', 'stop_drill'])
    for (const tool of tools) {
      expect(tool.outputSchema?.type).toBe('object')
      expect(tool.annotations).toMatchObject({ readOnlyHint: false, openWorldHint: false })
    }
    expect(tools.map(({ annotations }) => annotations?.destructiveHint)).toEqual([true, false, false, true])
    expect(tools.map(({ annotations }) => annotations?.idempotentHint)).toEqual([false, false, false, true])
    expect(tools.map(({ inputSchema }) => inputSchema.required ?? [])).toEqual([
      ['session_id', 'command'],
      ['session_id'],
      [],
      ['session_id'],
    ])
  })

  it('reads courses as resources', async () => {
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(expect.arrayContaining(['lab://courses', 'lab://courses/scenario-01']))
    const { contents } = await client.readResource({ uri: 'lab://courses/scenario-01' })
    const [content] = contents
    const detail = content !== undefined && 'text' in content ? JSON.parse(content.text) : undefined
    expect(detail).toEqual(CourseDetail.parse((await lab.call('GET', '/api/v1/courses/scenario-01')).body))
    await expect(client.readResource({ uri: 'lab://courses/none' })).rejects.toThrow('lab://courses/none')
  })

  it('is briefed by a prompt', async () => {
    const { messages } = await client.getPrompt({ name: 'resolve_incident', arguments: { course_id: 'scenario-01' } })
    expect(JSON.stringify(messages)).toContain('start_drill')
    const ref = { type: 'ref/prompt', name: 'resolve_incident' } as const
    const { completion } = await client.complete({ ref, argument: { name: 'course_id', value: 'scenario-0' } })
    expect(completion.values).toContain('scenario-01')
  })

  it('starts the default course without any credential and learns how to go on, not how it ends', async () => {
    const news: string[] = []
    const started = await call('start_drill', {}, news)
    const { session_id, course_id, containers } = SandboxSession.pick({ session_id: true, course_id: true, containers: true }).parse(
      started,
    )
    sessionId = session_id
    expect(course_id).toBe('scenario-01')
    expect(containers).toEqual(['ops', 'web', 'app', 'db'])
    expect(started).toMatchObject({ status: 'running', brief: readFileSync(join(scenario, 'brief.md'), 'utf8') })
    expect(started).toMatchObject({ next: expect.stringContaining('grade_drill'), expires_at: expect.any(String) })
    expect(JSON.stringify(started)).not.toContain(debrief.split('\n')[0])
    expect(news).toContain('starting the machines')
  })

  it('sees the symptom', async () => {
    expect((await exec('curl -s -o /dev/null -w "%{http_code}" http://web/api/sailings')).stdout).toBe('502')
  })

  it('gets exit codes, timeouts, input and a working directory as results', async () => {
    expect(await exec('exit 3', 'db')).toMatchObject({ exit_code: 3, timed_out: false })
    const slow = await call('exec_in_sandbox', { session_id: sessionId, command: 'sleep 60', timeout_seconds: 1 })
    expect(slow).toMatchObject({ exit_code: null, timed_out: true })
    const fed = await call('exec_in_sandbox', { session_id: sessionId, command: 'pwd; cat', stdin: 'in', working_directory: '/etc' })
    expect(fed).toMatchObject({ stdout: '/etc\nin', exit_code: 0 })
  })

  it('repairs it and has it proved in seven steps, hearing of each', async () => {
    for (const step of solution.steps) expect((await exec(step.run, step.in)).exit_code).toBe(0)
    const news: string[] = []
    const evaluation = Evaluation.parse(await call('grade_drill', { session_id: sessionId }, news))
    expect(evaluation).toMatchObject({ passed: true, score: 100 })
    expect(evaluation.checkpoints.map(({ name }) => name)).toEqual(stepNames)
    expect(news).toEqual(expect.arrayContaining(stepNames.map((name) => `${name}: passed`)))
  })

  it('stops it, twice if need be', async () => {
    const stopped = await call('stop_drill', { session_id: sessionId })
    expect(stopped).toMatchObject({ status: 'terminated', termination_reason: 'stopped' })
    expect(await call('stop_drill', { session_id: sessionId })).toEqual(stopped)
  })
})

describe('discovery', () => {
  it('names the endpoint, its revisions and its tools', async () => {
    const { status, body } = await lab.call('GET', '/.well-known/mcp.json')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      endpoints: { streamable_http: `${lab.url}/api/v1/mcp` },
      authentication: { required: false },
      tools: ['exec_in_sandbox', 'grade_drill', 'start_drill', 'stop_drill'],
    })
    expect(body.endpoints).not.toHaveProperty('sse')
    expect(body.description.length).toBeLessThanOrEqual(100)
    expect(body.remotes[0].supportedProtocolVersions).toEqual(expect.arrayContaining(ways.map(({ revision }) => revision)))
    const card = await lab.call('GET', '/api/v1/mcp/server-card')
    expect(card.headers.get('content-type')).toBe('application/mcp-server-card+json')
    expect(body).toMatchObject(card.body)
  })
})

describe('the end', () => {
  it('does not wait for streams that clients left open', async () => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
    const params = { _meta: meta, notifications: { toolsListChanged: true } }
    const stream = await fetch(`${lab.url}/api/v1/mcp`, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }),
    })
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    lab.server.child.kill('SIGTERM')
    expect(await stream.text()).toContain('notifications/subscriptions/acknowledged')
    expect(await lab.server.exited).toBe(0)
  })
})
