// What the tools say and do beyond a plain drill, in one small sandbox.

import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Agent, connectAgent, ways } from '../support/mcp.ts'
import { type Lab, startLab } from '../support/server.ts'
import { createSmallCourses } from '../support/small-courses.ts'

const defaultBytes = 16_384

let catalog: string
let lab: Lab
let agent: Agent
let session_id: string

beforeAll(async () => {
  catalog = await createSmallCourses([{ id: 'scenario-00', isDraft: true }, { id: 'scenario-01' }])
  lab = await startLab({ LAB_SCENARIOS_DIR: catalog, LAB_EXTEND_MINUTES: '50', LAB_ANONYMOUS_MINUTES: '30' })
  agent = await connectAgent(lab.url, ways[0])
  session_id = (await agent.call('start_drill')).session_id
})
afterAll(async () => {
  await agent?.close()
  await lab?.close()
  await rm(catalog, { recursive: true, force: true })
})

const exec = (command: string, args: Record<string, unknown> = {}) => agent.call('exec_in_sandbox', { session_id, command, ...args })

describe('the list of tools', () => {
  it('has every tool, always in the same order, each with a title, a description, its shapes and its annotations', async () => {
    const { tools } = await agent.client.listTools()
    const facts = tools.map(({ name, annotations, inputSchema }) => [
      name,
      [annotations?.readOnlyHint, annotations?.destructiveHint, annotations?.idempotentHint, annotations?.openWorldHint],
      inputSchema.required ?? [],
    ])
    expect(facts).toEqual([
      ['drill_status', [true, false, true, false], []],
      ['exec_in_sandbox', [false, true, false, false], ['session_id', 'command']],
      ['extend_drill', [false, false, false, false], ['session_id']],
      ['get_hint', [false, false, false, false], ['session_id']],
      ['grade_drill', [false, false, false, false], ['session_id']],
      ['list_commands', [true, false, true, false], ['session_id']],
      ['list_courses', [true, false, true, false], []],
      ['read_output', [true, false, true, false], ['session_id', 'command_id']],
      ['restart_container', [false, true, false, false], ['session_id']],
      ['start_command', [false, true, false, false], ['session_id', 'command']],
      ['start_drill', [false, false, false, false], []],
      ['stop_command', [false, true, true, false], ['session_id', 'command_id']],
      ['stop_drill', [false, true, true, false], ['session_id']],
    ])
    for (const { name, title, description, outputSchema, inputSchema } of tools) {
      expect([title, description].every(Boolean), name).toBe(true)
      expect(inputSchema.properties).toHaveProperty('api_token')
      expect(outputSchema?.type, name).toBe(['exec_in_sandbox', 'read_output'].includes(name) ? undefined : 'object')
    }
    const { body } = await lab.call('GET', '/.well-known/mcp.json')
    expect(body.tools).toEqual(tools.map(({ name }) => name))
  })

  it('says how long a call may take', async () => {
    const { tools } = await agent.client.listTools()
    const told = (name: string) => tools.find((tool) => tool.name === name)?.description
    expect(told('start_drill')).toMatch(/kept ready.*half a minute/)
    expect(told('grade_drill')).toMatch(/most of a minute.*when it is decided/)
  })

  it('is short enough for the context of a model', async () => {
    expect(JSON.stringify(await agent.client.listTools()).length).toBeLessThan(30_000)
  })
})

describe('a command whose client cancels the call', () => {
  it.each([ways[0], ways[2]])('is killed, by $way', async (way) => {
    const other = await connectAgent(lab.url, way)
    const cancelling = new AbortController()
    const args = { session_id, command: 'sleep 297.5; true', timeout_seconds: 300 }
    const call = other.client.callTool({ name: 'exec_in_sandbox', arguments: args }, { signal: cancelling.signal })
    const sleeping = async () => (await exec('pgrep -c -f "^sleep 297[.]5"')).stdout
    await expect.poll(sleeping).toBe('1\n')
    cancelling.abort()
    await expect(call).rejects.toThrow()
    await expect.poll(sleeping, { timeout: 60_000 }).toBe('0\n') // far from its own end
    await other.close()
  })
})

describe('courses', () => {
  it('are listed in pages, by tier and domain, without their long texts', async () => {
    const first = await agent.call('list_courses', { limit: 3 })
    expect(first).toMatchObject({ has_more: true, items: [{ id: 'scenario-01' }, { id: 'scenario-02' }, { id: 'scenario-03' }] }) // not what has no proof
    const second = await agent.call('list_courses', { limit: 100, cursor: first.next_cursor })
    expect(first.items.length + second.items.length).toBe(first.total_count)
    expect(Object.keys(first.items[0])).toEqual(['id', 'title', 'tier', 'domain', 'duration_minutes', 'stack', 'requires_account'])
    const wanted = { tier: first.items[0].tier, domain: first.items[0].domain }
    const { items } = await agent.call('list_courses', wanted)
    expect(items.length).toBeGreaterThan(0)
    for (const { tier, domain } of items) expect({ tier, domain }).toEqual(wanted)
    expect((await agent.fails('list_courses', { cursor: 'nonsense' })).code).toBe('invalid_request')
    expect((await agent.fails('list_courses', { tier: 'godlike' })).details.fields[0].field).toBe('tier')
  })

  it('that do not exist are answered with those that were probably meant', async () => {
    const error = await agent.fails('start_drill', { course_id: 'scenario-0l' })
    expect(error).toMatchObject({ code: 'not_found', message: expect.stringContaining('did you mean scenario-0') })
    expect(error.resolution_hint).toContain('list_courses')
  })
})

describe('a drill', () => {
  it('tells its state, the time left, its containers and its evaluations', async () => {
    const { drills } = await agent.call('drill_status', { session_id })
    expect(drills).toMatchObject([{ session_id, status: 'running', containers: ['ops', 'web'], evaluations_left: 20, warnings: [] }])
    expect(drills[0].seconds_left).toBeGreaterThan(60)
    expect(drills[0].seconds_left).toBeLessThanOrEqual(30 * 60)
  })

  it('of nobody that was lost cannot be recovered, and the answer says so', async () => {
    const error = await agent.fails('drill_status')
    expect(error).toMatchObject({ code: 'account_required', message: expect.stringContaining('cannot be recovered') })
    const full = await agent.fails('start_drill')
    expect(full).toMatchObject({ code: 'sandbox_limit_reached', resolution_hint: expect.stringContaining('stop_drill') })
  })

  it('can be extended, up to a point', async () => {
    const [{ expires_at }] = (await agent.call('drill_status', { session_id })).drills
    const longer = await agent.call('extend_drill', { session_id })
    expect(Date.parse(longer.expires_at) - Date.parse(expires_at)).toBe(50 * 60_000)
    await agent.call('extend_drill', { session_id })
    expect((await agent.fails('extend_drill', { session_id })).code).toBe('lifetime_exhausted')
  })

  it('has a container restarted, also one that has stopped', async () => {
    await agent.result('exec_in_sandbox', { session_id, container: 'web', command: 'touch /tmp/kept; kill -TERM 1' })
    await expect
      .poll(async () => (await agent.result('exec_in_sandbox', { session_id, command: 'true', container: 'web' })).isError)
      .toBe(true)
    expect((await agent.fails('exec_in_sandbox', { session_id, command: 'true', container: 'web' })).code).toBe('container_not_running')
    expect(await agent.call('restart_container', { session_id, container: 'web' })).toMatchObject({ status: 'running' })
    expect(await exec('ls /tmp/kept', { container: 'web' })).toMatchObject({ exit_code: 0 })
    const unknown = await agent.fails('restart_container', { session_id, container: 'mainframe' })
    expect(unknown.resolution_hint).toContain('web')
  })

  it('says when no hint fits the present state, and when there is none any more', async () => {
    const left = ([hints_left, hints_left_unconditional]: readonly [number, number]) => ({ hints_left, hints_left_unconditional })
    for (const counts of [
      [2, 1],
      [1, 0],
    ] as const)
      expect(await agent.call('get_hint', { session_id })).toMatchObject(left(counts))
    await exec('cp /srv/index.html /srv/www/index.html', { container: 'web' })
    expect(await agent.fails('get_hint', { session_id })).toMatchObject({ code: 'no_hint_fits', details: { hints_left: 1 } })
    await exec('rm /srv/www/index.html', { container: 'web' })
    expect(await agent.call('get_hint', { session_id })).toMatchObject(left([0, 0]))
    const { code, message } = await agent.fails('get_hint', { session_id })
    expect([code, message]).toEqual(['not_found', 'all hints of this course were given in this sandbox'])
  })
})

describe('the output of a command', () => {
  it('is sent once', async () => {
    const result = await agent.result('exec_in_sandbox', { session_id, command: 'echo once-and-only' })
    expect(JSON.stringify(result).split('once-and-only').length).toBe(2)
  })

  it('that fits is whole', async () => {
    const { stdout, stderr, ...facts } = await exec(`head -c ${defaultBytes} /dev/zero | tr '\\0' x; printf err >&2`)
    expect([stdout.length, stderr]).toEqual([defaultBytes, 'err'])
    expect(facts).toMatchObject({ truncated: false, stdout_bytes: defaultBytes, stderr_bytes: 3 })
    expect(facts).not.toHaveProperty('rest')
  })

  it('that is longer keeps its beginning and its end, and tells what there was and how to read the rest', async () => {
    const { stdout, stderr, stdout_bytes, stderr_bytes, truncated, rest } = await exec('seq 1 500000; seq 1 500000 >&2')
    const written = 3_388_895
    expect([stdout_bytes, stderr_bytes, truncated]).toEqual([written, written, true])
    for (const stream of [stdout, stderr]) {
      expect(stream.startsWith('1\n2\n3\n')).toBe(true)
      expect(stream.endsWith('\n499999\n500000\n')).toBe(true)
      const [, missing, from, to, total] = /\n\[\.\.\. (\d+) bytes left out: (\d+) to (\d+) of (\d+) \.\.\.\]\n/.exec(stream) ?? []
      expect([Number(missing), Number(total)]).toEqual([Number(to) - Number(from), written])
      expect(written - Number(missing)).toBe(defaultBytes)
    }
    expect(rest).toMatch(/max_output_bytes.*read_output/)
  })

  it('can be asked for in full length, and never cuts a character', async () => {
    const whole = await exec('seq 1 20000', { max_output_bytes: 200_000 })
    expect([whole.truncated, whole.stdout.length]).toEqual([false, 108_894])
    const words = await exec("printf 'x'; yes ⛴ | head -n 5000 | tr -d '\\n'", { max_output_bytes: 1_000 })
    expect(words.truncated).toBe(true)
    expect(words.stdout).toMatch(/^x⛴+\n\[\.\.\. \d+ bytes left out: \d+ to \d+ of 15001 \.\.\.\]\n⛴+$/)
    expect((await agent.fails('exec_in_sandbox', { session_id, command: 'true', max_output_bytes: 2 ** 21 })).details.fields[0].field).toBe(
      'max_output_bytes',
    )
  })
})

describe('a background command', () => {
  it('is started, listed, read from any byte on, and keeps its exit code', async () => {
    const { command_id, status } = await agent.call('start_command', { session_id, command: 'seq 1 100000; exit 7' })
    expect(status).toBe('running')
    const read = (args: object = {}) => agent.call('read_output', { session_id, command_id, ...args })
    await expect.poll(async () => (await read()).status).toBe('exited')
    const first = await read()
    expect(first).toMatchObject({ exit_code: 7, offset: 0, next_offset: defaultBytes, output_bytes: 588_895 })
    const next = await read({ offset: first.next_offset, max_output_bytes: 100 })
    expect([next.output.length, next.next_offset]).toEqual([100, defaultBytes + 100])
    expect((await read({ offset: 588_895 - 7 })).output).toBe('100000\n')
    const { items } = await agent.call('list_commands', { session_id })
    expect(items).toMatchObject([{ command_id, status: 'exited', exit_code: 7 }])
  })

  it('is stopped with everything that it started', async () => {
    const { command_id } = await agent.call('start_command', { session_id, command: 'sleep 987 & sleep 987' })
    expect(await agent.call('stop_command', { session_id, command_id })).toMatchObject({ status: 'killed' })
    expect(await agent.call('stop_command', { session_id, command_id })).toMatchObject({ status: 'killed' })
    await expect.poll(async () => (await exec('pgrep -c -f "sleep 98[7]"')).stdout).toBe('0\n')
    expect((await agent.fails('read_output', { session_id, command_id: 'ops.0000000000000000' })).code).toBe('not_found')
  })
})
