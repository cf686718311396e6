// The server is killed during a start, and the next `up` cleans up. ../chaos has kills at random moments under load.

import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SandboxSession } from '../../src/contract/sandbox.ts'
import { type MortalLab, runLab, smallCatalog, startMortalLab } from '../support/server.ts'
import { withoutTickets } from '../support/without-tickets.ts'

let lab: MortalLab
let kept: SandboxSession

const call = (method: string, path: string, body?: unknown) => lab.call(method, `/sandbox${path}`, body)
const start = () => call('POST', '/start', { course_id: 'scenario-01' })
const exec = (session_id: string, command: string) => call('POST', '/exec', { session_id, command })

beforeAll(async () => {
  lab = await startMortalLab({ ...smallCatalog, LAB_ACCOUNT_SANDBOXES: '20', LAB_CAPACITY: '20' })
  kept = (await start()).body
  await exec(kept.session_id, 'echo from before > /tmp/mark')
})
afterAll(() => lab?.close())

/** Store and engine agree, and nothing is in progress. */
const expectAgreement = async () => {
  const rows = await lab.inside.store.sandboxes.listLive()
  expect(rows.filter(({ status }) => status !== 'running')).toEqual([])
  const ids = (await lab.inside.engine.list()).map(({ id }) => id).sort()
  expect(ids).toEqual(rows.map(({ id }) => id).sort())
  for (const id of ids) {
    const services = (await lab.inside.engine.describe(id))?.services ?? []
    expect(services.map(({ name, running }) => `${name} ${running}`).sort()).toEqual(['ops true', 'web true'])
  }
  return ids
}

it.each([300, 1500])('a kill %i ms into a start leaves nothing half-way after the next up', async (moment) => {
  const answer = start().catch(() => null)
  await delay(moment)
  await lab.kill()
  const begun = await answer
  await lab.start()

  const alive = await expectAgreement()
  expect(alive).toContain(kept.id)
  if (begun?.status === 200) expect(alive).toContain(begun.body.id)
  expect((await exec(kept.session_id, 'cat /tmp/mark')).body.stdout).toBe('from before\n')
  expect(withoutTickets((await call('GET', `/${kept.id}`)).body)).toEqual(withoutTickets(kept))
  const listed: SandboxSession[] = (await call('GET', '')).body.items
  expect(listed.map(({ id }) => id).sort()).toEqual(alive)
  for (const { id, session_id } of listed) if (id !== kept.id) await call('POST', '/stop', { session_id })
})

it('a kill during up itself is swept up by down', async () => {
  await lab.kill()
  const starting = lab.start().catch(() => undefined)
  await expect.poll(async () => (await lab.inside.engine.list()).length, { interval: 20 }).toBeGreaterThan(1)
  await runLab(['status', '--data', lab.dataDir])
  const down = await runLab(['down', '--data', lab.dataDir])
  expect([down.code, down.stderr]).toEqual([0, ''])
  await starting
  await expect.poll(() => lab.inside.engine.list()).toEqual([])
  expect(await lab.inside.store.sandboxes.listLive()).toEqual([])
})
