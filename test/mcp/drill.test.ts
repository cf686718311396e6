// A complete drill by every kind of client: the client of the MCP SDK in both revisions and over event streams, and the inspector.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CourseDetail } from '../../src/contract/course.ts'
import { Evaluation, stepNames } from '../../src/contract/evaluation.ts'
import { root } from '../support/engine.ts'
import { type Agent, connectAgent, grade, type News, outputOf, ways } from '../support/mcp.ts'
import { type Lab, smallCatalog, startLab } from '../support/server.ts'
import { solutionIn } from '../support/solve.ts'

const scenario = join(root, 'test/catalog/scenario-01')
const debrief = readFileSync(join(scenario, 'debrief.md'), 'utf8')
const solution = await solutionIn('test/catalog')

let lab: Lab

beforeAll(async () => {
  lab = await startLab({ ...smallCatalog, LAB_ANONYMOUS_SANDBOXES: '5', LAB_EVALUATION_SPACING_SECONDS: '0' })
})
afterAll(() => lab?.close())

const rises = (news: readonly News[]) => news.every(({ progress }, index) => progress > (news[index - 1]?.progress ?? 0))

describe.each(ways)('an agent that speaks $way', ({ revision, mode, path }) => {
  let agent: Agent
  let session_id: string

  beforeAll(async () => {
    agent = await connectAgent(lab.url, { mode, path })
  })
  afterAll(() => agent?.close())

  const exec = (command: string, container?: string) =>
    agent.call('exec_in_sandbox', { session_id, command, ...(container && { container }) })

  it('is told what there is', async () => {
    expect(agent.client.getNegotiatedProtocolVersion()).toBe(revision)
    expect(agent.client.getServerVersion()?.name).toBe('incident-lab')
    for (const word of ['start_drill', 'exec_in_sandbox', 'grade_drill', 'stop_drill'])
      expect(agent.client.getInstructions()).toContain(word)
  })

  it('reads courses as resources', async () => {
    const { resources } = await agent.client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(expect.arrayContaining(['lab://courses', 'lab://courses/scenario-01']))
    const { contents } = await agent.client.readResource({ uri: 'lab://courses/scenario-01' })
    const [content] = contents
    const detail = content !== undefined && 'text' in content ? JSON.parse(content.text) : undefined
    expect(detail).toEqual(CourseDetail.parse((await lab.call('GET', '/api/v1/courses/scenario-01')).body))
    await expect(agent.client.readResource({ uri: 'lab://courses/none' })).rejects.toThrow('lab://courses/none')
  })

  it('is briefed by a prompt', async () => {
    const { messages } = await agent.client.getPrompt({ name: 'resolve_incident', arguments: { course_id: 'scenario-01' } })
    expect(JSON.stringify(messages)).toContain('start_drill')
    const ref = { type: 'ref/prompt', name: 'resolve_incident' } as const
    const { completion } = await agent.client.complete({ ref, argument: { name: 'course_id', value: 'scenario-0' } })
    expect(completion.values).toContain('scenario-01')
  })

  it('starts the default course without any credential and learns how to go on, not how it ends', async () => {
    const news: News[] = []
    const started = await agent.call('start_drill', {}, news)
    session_id = started.session_id
    expect(started).toMatchObject({ course_id: 'scenario-01', status: 'running', containers: ['ops', 'web'] })
    expect(started).toMatchObject({ brief: readFileSync(join(scenario, 'brief.md'), 'utf8'), expires_at: expect.any(String) })
    expect(started.next).toContain('grade_drill')
    expect(JSON.stringify(started)).not.toContain(debrief.split('\n')[0])
    const told = news.flatMap(({ message }) => message ?? [])
    expect(told).toEqual(['preparing images', 'starting the machines', 'letting customers in'])
    expect([rises(news), news.findLast(({ message }) => message)?.progress, new Set(news.map(({ total }) => total))]).toEqual([
      true,
      3,
      new Set([4]),
    ])
  })

  it('sees the symptom', async () => {
    expect((await exec('curl -s -o /dev/null -w "%{http_code}" http://web/')).stdout).toBe('404')
  })

  it('gets exit codes, timeouts, input and a working directory as results', async () => {
    expect(await exec('exit 3', 'web')).toMatchObject({ exit_code: 3, timed_out: false, truncated: false })
    const slow = await agent.call('exec_in_sandbox', { session_id, command: 'sleep 60', timeout_seconds: 1 })
    expect(slow).toMatchObject({ exit_code: null, timed_out: true })
    const fed = await agent.call('exec_in_sandbox', { session_id, command: 'pwd; cat', stdin: 'in', working_directory: '/etc' })
    expect(fed).toMatchObject({ stdout: '/etc\nin', exit_code: 0 })
  })

  it('has it graded too early, and hears of each step what the result says', async () => {
    const news: News[] = []
    const grading = () => {
      news.length = 0
      return agent.result('grade_drill', { session_id }, news)
    }
    const { checkpoints } = Evaluation.parse(await grade(grading))
    const outcome = ({ passed, output }: Evaluation['checkpoints'][number]) =>
      output === 'not attempted' ? output : passed ? 'passed' : 'not passed'
    const told = news.flatMap(({ message }) => message ?? [])
    expect(told.toSorted()).toEqual(checkpoints.map((checkpoint) => `${checkpoint.name}: ${outcome(checkpoint)}`).toSorted())
    expect(told.slice(-2)).toEqual(['survives_restart: not attempted', 'stable_under_load: not attempted'])
  })

  it('repairs it and has it proved in seven steps, hearing of each once', async () => {
    for (const step of solution) expect((await exec(step.run, step.in)).exit_code).toBe(0)
    const news: News[] = []
    const grading = () => {
      news.length = 0
      return agent.result('grade_drill', { session_id }, news)
    }
    const evaluation = Evaluation.parse(await grade(grading))
    expect(evaluation).toMatchObject({ passed: true, score: 100 })
    expect(evaluation.checkpoints.map(({ name }) => name)).toEqual(stepNames)
    const told = news.flatMap(({ message }) => message ?? [])
    expect(told.toSorted()).toEqual(stepNames.map((name) => `${name}: passed`).toSorted())
    expect([rises(news), news.at(-1)?.progress, new Set(news.map(({ total }) => total))]).toEqual([true, 7, new Set([7])])
  })

  it('stops it, twice if need be', async () => {
    const stopped = await agent.call('stop_drill', { session_id })
    expect(stopped).toMatchObject({ status: 'terminated', termination_reason: 'stopped' })
    expect(await agent.call('stop_drill', { session_id })).toEqual(stopped)
  })
})

describe('the inspector', () => {
  const program = join(root, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')

  /** One call of its command line: a process that connects, calls and prints the result. */
  const inspect = async (...args: readonly string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, '--cli', `${lab.url}/api/v1/mcp`, ...args], {
      env: { NO_COLOR: '1', HOME: lab.dataDir }, // it keeps a file of its own at home
    })
    return JSON.parse(stdout)
  }
  const call = async (tool: string, args: Record<string, string>) => {
    const given = Object.entries(args).flatMap(([name, value]) => ['--tool-arg', `${name}=${value}`])
    const result = await inspect('--method', 'tools/call', '--tool-name', tool, ...given)
    expect(result.isError ?? false, JSON.stringify(result)).toBe(false)
    return outputOf(result)
  }

  it('finds no fault with the schemas of the tools', async () => {
    const { tools } = await inspect('--method', 'tools/list', '--strict')
    expect(tools.map(({ name }: { name: string }) => name)).toContain('start_drill')
  })

  it('solves the default course from its command line', async () => {
    const { session_id } = await call('start_drill', { course_id: 'scenario-01' })
    for (const { in: container, run: command } of solution) {
      expect(await call('exec_in_sandbox', { session_id, container, command })).toMatchObject({ exit_code: 0 })
    }
    const grading = () => inspect('--method', 'tools/call', '--tool-name', 'grade_drill', '--tool-arg', `session_id=${session_id}`)
    expect(await grade(grading)).toMatchObject({ passed: true, score: 100 })
    expect(await call('stop_drill', { session_id })).toMatchObject({ status: 'terminated' })
  })
})

describe('discovery', () => {
  it('names the endpoints, their revisions and the tools', async () => {
    const { status, body } = await lab.call('GET', '/.well-known/mcp.json')
    expect(status).toBe(200)
    const endpoint = `${lab.url}/api/v1/mcp`
    expect(body).toMatchObject({ endpoints: { streamable_http: endpoint, sse: `${endpoint}/sse` }, authentication: { required: false } })
    expect(body.description.length).toBeLessThanOrEqual(100)
    expect(body.remotes).toEqual([
      { type: 'streamable-http', url: endpoint, supportedProtocolVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] },
      { type: 'sse', url: `${endpoint}/sse`, supportedProtocolVersions: ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] },
    ])
    const card = await lab.call('GET', '/api/v1/mcp/server-card')
    expect(card.headers.get('content-type')).toBe('application/mcp-server-card+json')
    expect(body).toMatchObject(card.body)
  })

  it('names only revisions that a client can really agree on', async () => {
    const { remotes } = (await lab.call('GET', '/.well-known/mcp.json')).body
    const [, ...withHandshake] = remotes[0].supportedProtocolVersions
    for (const version of [...withHandshake, '2024-11-05']) {
      const agreed = withHandshake.includes(version) ? version : withHandshake[0]
      const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
      const response = await fetch(remotes[0].url, {
        method: 'POST',
        headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
      })
      expect(await response.text()).toContain(`"protocolVersion":"${agreed}"`)
    }
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
    const events = await fetch(`${lab.url}/api/v1/mcp/sse`)
    expect(events.status).toBe(200)
    lab.server.child.kill('SIGTERM')
    expect(await stream.text()).toContain('notifications/subscriptions/acknowledged')
    expect(await events.text()).toContain('event: endpoint')
    expect(await lab.server.exited).toBe(0)
  })
})
