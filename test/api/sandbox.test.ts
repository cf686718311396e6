// Sandboxes over REST, on one real server: start, read, exec, stop, and their limits.

import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { ErrorEnvelope } from '../../src/contract/error.ts'
import { execLimits, SandboxExecResponse, SandboxList, SandboxSession } from '../../src/contract/sandbox.ts'
import { type Installation, openInstallation } from '../../src/installation.ts'
import { createMember } from '../support/accounts.ts'
import { type Answer, createClient, type Lab, smallCatalog, startLab } from '../support/server.ts'

let lab: Lab
let inside: Installation
let session: SandboxSession
let other: (method: string, path: string, body?: unknown) => Promise<Answer>

/** Every response has its request id. */
const call = async (method: string, path: string, body?: unknown, as = lab.call): Promise<Answer> => {
  const answer = await as(method, `/api/v1${path}`, body)
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-z]{16}$/)
  return answer
}
const start = (as?: Lab['call']) => call('POST', '/sandbox/start', { course_id: 'scenario-01' }, as)
const stop = (session_id: string, as?: Lab['call']) => call('POST', '/sandbox/stop', { session_id }, as)
const exec = (body: object, as?: Lab['call']) => call('POST', '/sandbox/exec', { session_id: session.session_id, ...body }, as)
const run = async (command: string, extra: object = {}) => {
  const { status, body } = await exec({ command, ...extra })
  expect([status, body]).toEqual([200, SandboxExecResponse.strict().parse(body)])
  return body as SandboxExecResponse
}
const refused = ({ status, body }: Answer, expected: number, code: string) => {
  expect([status, ErrorEnvelope.parse(body).error.code]).toEqual([expected, code])
  return body.error as ErrorEnvelope['error']
}
const onEngine = async () => (await inside.engine.list()).map(({ id }) => id).sort()

beforeAll(async () => {
  lab = await startLab({ ...smallCatalog, LAB_QUEUE_MAX: '0', LAB_ACCOUNT_SANDBOXES: '2', LAB_CAPACITY: '3' })
  inside = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
  const { token } = await createMember(inside)
  other = createClient(lab.url, token)
})
afterAll(async () => {
  await inside?.store.close()
  await lab?.close()
})

describe('start and read', () => {
  it('answers 200 with the complete session once the services are ready', async () => {
    const { status, body, headers } = await start()
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^application\/json\b/)
    session = SandboxSession.strict().parse(body)
    expect(session).toMatchObject({ course_id: 'scenario-01', status: 'running', containers: ['ops', 'web'] })
    expect(Object.keys(session)).not.toContain('termination_reason')
    expect(session.id).toMatch(/^[0-9a-z]{16}$/)
    expect(session.session_id).toMatch(new RegExp(`^${session.id}\\.[0-9a-z]{32}$`))
    expect(Date.parse(session.expires_at) - Date.parse(session.created_at)).toBe(45 * 60_000)
    expect(await onEngine()).toEqual([session.id])
  })

  it('reads the same session by its public id, and in the list', async () => {
    const same = { ...session, terminal_url: expect.any(String) } // each answer has a ticket of its own
    expect((await call('GET', `/sandbox/${session.id}`)).body).toEqual(same)
    expect(SandboxList.parse((await call('GET', '/sandbox')).body).items).toEqual([same])
  })

  it('serves a system that works and is broken as its course says', async () => {
    expect((await run("curl -s -o /dev/null -w '%{http_code}' http://web/")).stdout).toBe('404')
    expect((await run('cat /srv/index.html', { container: 'web' })).stdout).toBe('A page.\n')
  })
})

describe('exec', () => {
  it('runs in the workstation by default, else where it is told', async () => {
    expect((await run('hostname')).stdout).toBe('ops\n')
    for (const container of session.containers) expect((await run('hostname', { container })).stdout).toBe(`${container}\n`)
  })

  it('keeps streams and exit code apart', async () => {
    const result = await run('echo out; echo err >&2; exit 7')
    expect(result).toMatchObject({ stdout: 'out\n', stderr: 'err\n', exit_code: 7, timed_out: false, stdout_bytes: 4, stderr_bytes: 4 })
    expect(await run('no-such-program')).toMatchObject({ exit_code: 127 })
    expect(await run('kill -9 $$')).toMatchObject({ exit_code: 137 })
  })

  it('hands over the input, and an end where there is none', async () => {
    const stdin = 'späť\n"quotes" $(dollar) \\ \0 end'.repeat(1000)
    expect(await run('cat', { stdin })).toMatchObject({ stdout: stdin, stdout_bytes: Buffer.byteLength(stdin) })
    expect((await run('wc -c')).stdout.trim()).toBe('0')
    expect(await run('exec 0<&-; echo deaf', { stdin: 'x'.repeat(300_000) })).toMatchObject({ stdout: 'deaf\n', exit_code: 0 })
  })

  it('starts in the folder it is told, and takes the longest command', async () => {
    expect((await run('pwd', { working_directory: '/var/log' })).stdout).toBe('/var/log\n')
    expect((await run(`printf %s '${'x'.repeat(131_000)}' | wc -c`)).stdout.trim()).toBe('131000')
  })

  it('is kept inside one sandbox: its changes stay, and several run at once', async () => {
    await run('echo kept > /tmp/note')
    expect((await run('cat /tmp/note')).stdout).toBe('kept\n')
    const echoes = await Promise.all(Array.from({ length: 10 }, (_, index) => run(`sleep 0.2; echo ${index}`)))
    expect(echoes.map(({ stdout }) => stdout)).toEqual(Array.from({ length: 10 }, (_, index) => `${index}\n`))
  })

  it('kills the command and its children at the timeout, and gives back what was said', async () => {
    const result = await run('echo before; sleep 4321 & sleep 4321; echo after', { timeout_seconds: 1 })
    expect(result).toMatchObject({ stdout: 'before\n', exit_code: null, timed_out: true })
    expect((await run("pgrep -fc '^sleep 4321'")).stdout).toBe('0\n')
  })

  it('caps each stream and counts what was written', async () => {
    const wrote = 3 * 1024 * 1024
    const result = await run(`head -c ${wrote} /dev/zero | tr '\\0' a; head -c ${wrote + 1} /dev/zero | tr '\\0' b >&2`)
    expect([result.stdout.length, result.stderr.length]).toEqual([execLimits.outputBytes, execLimits.outputBytes])
    expect(result).toMatchObject({ stdout_bytes: wrote, stderr_bytes: wrote + 1, exit_code: 0 })
    const bytes = await run("printf '\\377\\376ok'")
    expect(bytes).toMatchObject({ stdout: '\ufffd\ufffdok', stdout_bytes: 4 })
  })

  it('enters only what the session lists, and only while it runs', async () => {
    for (const container of ['clients', 'nobody', '../ops', session.id]) {
      expect(refused(await exec({ command: 'id', container }), 400, 'invalid_request').resolution_hint).toContain('ops, web')
    }
    const web = (await inside.docker.listContainers({ filters: { name: [`^/web-${session.id}$`] } }))[0]
    await inside.docker.getContainer(web?.Id ?? '').kill()
    const { resolution_hint } = refused(await exec({ command: 'id', container: 'web' }), 409, 'container_not_running')
    expect(resolution_hint).toContain('restart')
    const restart = (container: string, as?: typeof other) =>
      call('POST', '/sandbox/restart', { session_id: session.session_id, container }, as)
    refused(await restart('clients'), 400, 'invalid_request')
    refused(await restart('web', other), 404, 'not_found')
    expect((await restart('web')).body).toMatchObject({ id: session.id, status: 'running', expires_at: session.expires_at })
    expect((await exec({ command: 'hostname', container: 'web' })).body.stdout).toBe('web\n')
    expect((await run('echo alive')).stdout).toBe('alive\n')
  })
})

describe('another account', () => {
  it('finds nothing: not to read, not to enter, not to stop', async () => {
    expect((await call('GET', '/sandbox', undefined, other)).body).toEqual({ items: [] })
    refused(await call('GET', `/sandbox/${session.id}`, undefined, other), 404, 'not_found')
    refused(await exec({ command: 'id' }, other), 404, 'not_found')
    refused(await stop(session.session_id, other), 404, 'not_found')
    expect((await run('echo untouched')).stdout).toBe('untouched\n')
  })
})

describe('limits', () => {
  it('refuses more sandboxes than an account or the house may have, and frees what is stopped', async () => {
    const second = (await start()).body
    const full = await start()
    const { message, details } = refused(full, 429, 'sandbox_limit_reached')
    expect(message).toContain('2 sandboxes')
    const mine = [session, second].map(({ id }) => ({ id, course_id: 'scenario-01', status: 'running' }))
    expect(details).toEqual({ limit: 2, sandboxes: mine, jobs: [] })
    expect(full.headers.has('retry-after')).toBe(false) // waiting does not help

    const [foreign, none] = await Promise.all([start(other), start(other)]).then((both) => both.sort((a, b) => a.status - b.status))
    expect(foreign?.status).toBe(200)
    refused(none as Answer, 429, 'capacity_exhausted')
    expect(Number(none?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await onEngine()).toEqual([session.id, second.id, foreign?.body.id].sort())

    await Promise.all([stop(second.session_id), stop(foreign?.body.session_id, other)])
    const again = await start(other)
    expect(again.status).toBe(200)
    await stop(again.body.session_id, other)
    expect(await onEngine()).toEqual([session.id])
  })
})

describe('stop', () => {
  it('ends the sandbox once and for all, as often as it is asked', async () => {
    const answers = await Promise.all([stop(session.session_id), stop(session.session_id)])
    const { terminal_url: _, ...rest } = session // there is no page to open any more
    const ended = { ...rest, status: 'terminated', termination_reason: 'stopped' }
    for (const { status, body } of [...answers, await stop(session.session_id)]) {
      expect([status, body]).toEqual([200, ended])
      SandboxSession.strict().parse(body)
    }
    expect((await call('GET', `/sandbox/${session.id}`)).body).toEqual(ended)
    expect((await call('GET', '/sandbox')).body).toEqual({ items: [] })
    refused(await exec({ command: 'id' }), 409, 'sandbox_not_running')
  })

  it('leaves nothing on the engine', async () => {
    expect(await onEngine()).toEqual([])
    const filters = { label: [`incident-lab.installation=${inside.store.installation}`, 'incident-lab.sandbox'] }
    expect(await inside.docker.listContainers({ all: true, filters })).toEqual([])
    expect(await inside.docker.listNetworks({ filters })).toEqual([])
    expect((await inside.docker.listVolumes({ filters })).Volumes ?? []).toEqual([])
  })

  it('also ends a sandbox that is still starting', async () => {
    const starting = start()
    const find = async () => (await call('GET', '/sandbox')).body.items
    await expect.poll(find, { interval: 20 }).toMatchObject([{ status: 'starting' }])
    const [{ session_id, id }] = await find()
    refused(await exec({ session_id, command: 'id' }), 409, 'sandbox_not_running')
    expect((await stop(session_id)).body.status).toBe('terminated')
    expect(refused(await starting, 409, 'sandbox_not_running').message).toBe('the sandbox was stopped while it started')
    expect((await call('GET', `/sandbox/${id}`)).body.termination_reason).toBe('stopped')
    await expect.poll(onEngine).toEqual([])
  })

  it('meets commands: each has its own result, or the error of an ended sandbox, and never words of the engine', async () => {
    const commands = [
      { command: 'echo fine', stdout: 'fine\n', exit_code: 0 },
      { command: 'sleep 0.2; echo slow', stdout: 'slow\n', exit_code: 0 },
      { command: 'exit 3', stdout: '', exit_code: 3 },
      { command: 'no-such-program', stdout: '', exit_code: 127 },
    ]
    const long = 'x'.repeat(100_000) // too long for the quick way: the engine starts the command itself
    for (let round = 0; round < 3; round += 1) {
      const { session_id } = (await start()).body
      const racing = Array.from({ length: 60 }, async (_, index) => {
        const { command, ...result } = commands[index % commands.length] as (typeof commands)[number]
        await delay(index * 10)
        const how = { container: index % 3 === 0 ? 'web' : 'ops', ...(index % 2 === 0 ? { stdin: long } : {}) }
        return { result, answer: await exec({ session_id, command, ...how }) }
      })
      await delay(300)
      await stop(session_id)
      const ended = await Promise.all(racing)
      for (const { result, answer } of ended) {
        if (answer.status === 200) expect(answer.body).toMatchObject(result)
        else refused(answer, 409, 'sandbox_not_running')
      }
      expect(new Set(ended.map(({ answer }) => answer.status))).toEqual(new Set([200, 409]))
    }
    await expect.poll(onEngine).toEqual([])
  })

  it('and one in which a container is being restarted, which says so', async () => {
    const { session_id } = (await start()).body
    const restarting = call('POST', '/sandbox/restart', { session_id, container: 'web' })
    expect((await stop(session_id)).body.status).toBe('terminated')
    refused(await restarting, 409, 'sandbox_not_running')
    await expect.poll(onEngine).toEqual([])
  })
})
