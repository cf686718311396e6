// The engine becomes unavailable and comes back while the service runs. The test inspects it over a connection of its own.

import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { ErrorEnvelope } from '../../src/contract/error.ts'
import type { SandboxSession } from '../../src/contract/sandbox.ts'
import { type Installation, openInstallation } from '../../src/installation.ts'
import { type DockerGateway, startDockerGateway } from '../support/docker-gateway.ts'
import { type Answer, type Lab, smallCatalog, startLab } from '../support/server.ts'

let gateway: DockerGateway
let lab: Lab
let inside: Installation

beforeAll(async () => {
  gateway = await startDockerGateway()
  lab = await startLab({ ...smallCatalog, DOCKER_HOST: gateway.dockerHost, LAB_ACCOUNT_SANDBOXES: '5' })
  inside = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
})
afterEach(() => gateway.open())
afterAll(async () => {
  await inside?.store.close()
  await lab?.close()
  await gateway?.close()
})

const start = () => lab.call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })
const exec = (session_id: string, command: string) => lab.call('POST', '/api/v1/sandbox/exec', { session_id, command })
const stop = (session_id: string) => lab.call('POST', '/api/v1/sandbox/stop', { session_id })
const health = () => lab.call('GET', '/api/v1/health')
/** Without the helper that sets the firewall once the engine is back: it may be cut off too, and is no sandbox. */
const onEngine = async () =>
  (await inside.engine.list())
    .map(({ id }) => id)
    .filter((id) => id !== 'firewall')
    .sort()
const live = async () => (await inside.store.sandboxes.listLive()).map(({ id, status }) => `${status} ${id}`)
/** Longer than the reaper sleeps between two passes. */
const reaped = { interval: 250 }

const away = ({ status, headers, body }: Answer) => {
  expect([status, ErrorEnvelope.parse(body).error.code]).toEqual([503, 'engine_unavailable'])
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
}

describe('while the engine is away', () => {
  /** What was started once the engine was back. */
  let session: SandboxSession

  it('says so at once, keeps every sandbox, and goes on by itself when it is back', async () => {
    const { session_id, id } = (await start()).body
    await exec(session_id, 'echo before > /tmp/mark')
    await gateway.shut()

    away(await start())
    away(await exec(session_id, 'cat /tmp/mark'))
    const ill = await health()
    expect([ill.status, ill.body.status]).toEqual([200, 'degraded'])
    expect((await lab.call('GET', `/api/v1/sandbox/${id}`)).body.status).toBe('running')
    expect((await lab.call('GET', '/api/v1/sandbox')).body.items).toHaveLength(1)
    await expect.poll(() => lab.server.log(), reaped).toContain('the reaper could not finish its pass')
    expect(await live()).toEqual([`running ${id}`])

    await gateway.open()
    expect((await health()).body.status).toBe('ok')
    expect((await exec(session_id, 'cat /tmp/mark')).body.stdout).toBe('before\n')
    const next = (await start()).body
    expect(next.status).toBe('running')
    expect(await onEngine()).toEqual([id, next.id].sort())
    expect((await stop(session_id)).status).toBe(200)
    expect(await onEngine()).toEqual([next.id])
    session = next
  })

  it('a command that was running is answered 503, and the sandbox takes the next one', async () => {
    const { session_id } = session
    const running = exec(session_id, 'sleep 60')
    await delay(500)
    await gateway.shut()
    away(await running)
    await gateway.open()
    expect((await exec(session_id, 'echo on')).body.stdout).toBe('on\n')
  })

  it('a sandbox can be stopped; the reaper removes it later', async () => {
    const { session_id, id } = session
    await gateway.shut()
    const stopped = await stop(session_id)
    expect([stopped.status, stopped.body.status, stopped.body.termination_reason]).toEqual([200, 'terminated', 'stopped'])
    expect(await live()).toEqual([])
    expect(await onEngine()).toEqual([id])
    await gateway.open()
    await expect.poll(onEngine, reaped).toEqual([])
  })
})

it('a start that is cut off, at whatever moment, leaves nothing behind', async () => {
  const seen = new Set<string>()
  const fresh = async () => (await onEngine()).filter((id) => !seen.has(id))
  for (const pause of [0, 100, 250, 500, 800]) {
    const starting = start()
    await expect.poll(fresh, { interval: 10 }).toHaveLength(1)
    for (const id of await fresh()) seen.add(id)
    await delay(pause)
    await gateway.shut()
    const answer = await starting
    // A fast engine may have finished the start: then the sandbox runs, and is stopped like any other.
    if (answer.status === 200) await stop(answer.body.session_id)
    else away(answer)
    expect(await live()).toEqual([])
    await gateway.open()
    await expect.poll(async () => (await health()).body.status).toBe('ok') // a start before would be refused at once
  }
  await expect.poll(onEngine, reaped).toEqual([])
})

it('an engine that hangs does not hang the health answer', async () => {
  await gateway.shut()
  await gateway.open()
  gateway.bar()
  const ill = await health()
  expect([ill.status, ill.body.status]).toEqual([200, 'degraded'])
  await gateway.shut()
  await gateway.open()
  expect((await health()).body.status).toBe('ok')
})
