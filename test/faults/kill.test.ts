// The server is killed without warning, again and again, in the middle of a start. The next `up` sets things right.

import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import type { SandboxSession } from '../../src/contract/sandbox.ts'
import { type Installation, openInstallation } from '../../src/main.ts'
import { createClient, createDataDir, createToken, runLab, type ServerProcess, startServerProcess } from '../support/server.ts'

const environment = { LAB_ACCOUNT_SANDBOXES: '20', LAB_CAPACITY: '20' }
let dataDir: string
let token: string
let server: ServerProcess
let inside: Installation
let kept: SandboxSession

const up = async () => {
  server = await startServerProcess(dataDir, environment)
}
const kill = async () => {
  server.child.kill('SIGKILL')
  await server.exited
}
const call = (method: string, path: string, body?: unknown) => createClient(server.url, token)(method, `/api/v1/sandbox${path}`, body)
const start = () => call('POST', '/start', { course_id: 'scenario-01' })
const exec = (session_id: string, command: string) => call('POST', '/exec', { session_id, command })

beforeAll(async () => {
  dataDir = await createDataDir()
  await up()
  token = await createToken(dataDir, environment)
  inside = await openInstallation(readConfig({ LAB_DATA_DIR: dataDir }))
  kept = (await start()).body
  await exec(kept.session_id, 'echo from before > /tmp/mark')
})
afterAll(async () => {
  await inside?.store.close()
  await runLab(['down', '--data', dataDir], environment)
  await rm(dataDir, { recursive: true, force: true })
})

/** Rows and engine tell the same story, and nothing is half-way. */
const expectAgreement = async () => {
  const rows = await inside.store.sandboxes.listLive()
  expect(rows.filter(({ status }) => status !== 'running')).toEqual([])
  const traces = (await inside.engine.list()).map(({ id }) => id).sort()
  expect(traces).toEqual(rows.map(({ id }) => id).sort())
  for (const id of traces) {
    const services = (await inside.engine.describe(id))?.services ?? []
    expect(services.map(({ name, running }) => `${name} ${running}`).sort()).toEqual(['app true', 'db true', 'ops true', 'web true'])
  }
  return traces
}

it.each([100, 400, 900, 1500])('a kill %i ms into a start leaves nothing half-way after the next up', async (moment) => {
  const answer = start().catch(() => null)
  await delay(moment)
  await kill()
  const begun = await answer
  await up()

  const alive = await expectAgreement()
  expect(alive).toContain(kept.id)
  if (begun?.status === 200) expect(alive).toContain(begun.body.id)
  expect((await exec(kept.session_id, 'cat /tmp/mark')).body.stdout).toBe('from before\n')
  expect((await call('GET', `/${kept.id}`)).body).toEqual(kept)
  const listed: SandboxSession[] = (await call('GET', '')).body.items
  expect(listed.map(({ id }) => id).sort()).toEqual(alive)
  for (const { id, session_id } of listed) if (id !== kept.id) await call('POST', '/stop', { session_id })
})

it('a kill with several starts and commands under way leaves nothing half-way either', async () => {
  const answers = [start(), start(), start(), exec(kept.session_id, 'sleep 30'), call('POST', '/stop', { session_id: kept.session_id })]
  const ends = Promise.allSettled(answers)
  await delay(700)
  await kill()
  await ends
  await up()
  await expectAgreement()
  expect((await call('GET', `/${kept.id}`)).body).toEqual({ ...kept, status: 'terminated', termination_reason: 'stopped' })
  const next = (await start()).body
  expect((await exec(next.session_id, 'hostname')).body.stdout).toBe('ops\n')
})

it('a kill during up itself is swept up by down', async () => {
  await kill()
  const starting = up().catch(() => undefined)
  await expect.poll(async () => (await inside.engine.list()).length, { timeout: 30_000, interval: 20 }).toBeGreaterThan(1)
  await runLab(['status', '--data', dataDir], environment)
  const down = await runLab(['down', '--data', dataDir], environment)
  expect([down.code, down.stderr]).toEqual([0, ''])
  await starting
  await expect.poll(() => inside.engine.list(), { timeout: 30_000 }).toEqual([])
  expect(await inside.store.sandboxes.listLive()).toEqual([])
})
