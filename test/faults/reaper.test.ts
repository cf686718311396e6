// A pass of the reaper on a real store and engine: what it ends, what it removes, what it leaves alone.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Clock, systemClock } from '../../src/clock.ts'
import { createId } from '../../src/ids.ts'
import { createLog } from '../../src/log.ts'
import { createReaper } from '../../src/sandboxes/upkeep/reaper.ts'
import type { SandboxRow } from '../../src/store/sandboxes.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { bareService, inMinutes } from '../contract/fixture.ts'
import { createTestEngine } from '../support/engine.ts'
import { ample, sandbox } from '../support/store.ts'

const { engine, cleanUp } = createTestEngine()
let folder: string
let store: Store
let owner: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'incident-lab-reaper-'))
  store = await openStore({ databaseUrl: undefined, file: join(folder, 'lab.sqlite'), now: new Date() })
  await engine.prepare(() => undefined)
  owner = createId()
  await store.accounts.insert({ id: owner, name: 'Ada', role: 'member', created_at: new Date().toISOString() })
})
afterAll(async () => {
  await cleanUp()
  await store?.close()
  await rm(folder, { recursive: true, force: true })
})

const topology = { services: [bareService('one')], readyTimeoutSeconds: 20 }
const create = (id: string, deadline = inMinutes(60)) => engine.create({ id, topology, deadline })
const insert = (id: string, extra: Partial<SandboxRow> = {}) => {
  const times = { created_at: new Date().toISOString(), expires_at: inMinutes(30).toISOString(), deadline: inMinutes(60).toISOString() }
  return store.slots.reserve(sandbox(owner, { id, status: 'running', node: 'here', boot_id: 'now', ...times, ...extra }), ample)
}
const reaper = ({ clock = systemClock, isUnderWay = (_: string): boolean => true } = {}) =>
  createReaper({
    store: store.sandboxes,
    slots: store.slots,
    resumeTraffic: async () => undefined,
    isUnderWay,
    engine,
    clock,
    log: createLog('silent'),
    node: 'here',
    bootId: 'now',
  })
const reconcile = (clock: Clock = systemClock) => reaper({ clock }).reconcile()
const onEngine = async () => (await engine.list()).map(({ id }) => id).sort()
const endOf = async (id: string) => {
  const row = await store.sandboxes.find(id)
  return row === null ? null : `${row.status} ${row.termination_reason}`
}

it('ends what expired, vanished or was never finished, removes what is over, and leaves the rest', async () => {
  const names = [
    'alive',
    'completed',
    'expired',
    'ended',
    'unfinished',
    'stranger',
    'outlived',
    'starting',
    'elsewhere',
    'vanished',
  ] as const
  const id = Object.fromEntries(names.map((name) => [name, createId()])) as Record<(typeof names)[number], string>
  await insert(id.alive)
  await insert(id.completed, { status: 'completed' })
  await insert(id.expired, { expires_at: inMinutes(-1).toISOString() })
  await insert(id.ended, { status: 'terminated', termination_reason: 'stopped', ended_at: new Date().toISOString() })
  await insert(id.unfinished, { status: 'starting', boot_id: 'an earlier life' })
  await insert(id.starting, { status: 'starting' })
  await insert(id.elsewhere, { status: 'starting', node: 'there', boot_id: 'another' })
  await insert(id.vanished)
  for (const name of ['alive', 'completed', 'expired', 'ended', 'unfinished', 'stranger'] as const) await create(id[name])
  await create(id.outlived, inMinutes(-1))

  await reconcile()

  expect(await onEngine()).toEqual([id.alive, id.completed, id.stranger].sort())
  expect(await Promise.all(names.map((name) => endOf(id[name])))).toEqual([
    'running null',
    'completed null',
    'terminated expired',
    'terminated stopped',
    'terminated failed',
    null,
    null,
    'starting null',
    'starting null',
    'terminated failed',
  ])

  await reconcile({ ...systemClock, now: () => inMinutes(2) })
  expect(await onEngine()).toEqual([id.alive, id.completed].sort())

  await Promise.all([reconcile({ ...systemClock, now: () => inMinutes(31) }), reconcile({ ...systemClock, now: () => inMinutes(31) })])
  expect(await onEngine()).toEqual([])
  expect(await store.sandboxes.listLive()).toEqual([])
  expect(await Promise.all([endOf(id.alive), endOf(id.starting), endOf(id.elsewhere)])).toEqual(Array(3).fill('terminated expired'))
})

it('ends an abandoned start of its own server in the second pass', async () => {
  const [given, atWork] = [createId(), createId()]
  await insert(given, { status: 'starting' })
  await insert(atWork, { status: 'starting' })
  await create(given)
  const { reconcile: look } = reaper({ isUnderWay: (id) => id === atWork })
  await look()
  expect(await Promise.all([endOf(given), endOf(atWork)])).toEqual(['starting null', 'starting null'])
  await look()
  expect(await Promise.all([endOf(given), endOf(atWork)])).toEqual(['terminated failed', 'starting null'])
  expect(await onEngine()).toEqual([])
  await store.sandboxes.markTerminated(atWork, 'stopped', new Date().toISOString())
})

it('never touches another installation', async () => {
  const other = createTestEngine()
  const id = createId()
  try {
    await other.engine.create({ id, topology, deadline: inMinutes(-5) })
    await insert(id, { status: 'terminated', termination_reason: 'stopped', ended_at: new Date().toISOString() })
    await reconcile({ ...systemClock, now: () => inMinutes(500) })
    expect((await other.engine.list()).map((sandbox) => sandbox.id)).toEqual([id])
    expect((await other.engine.describe(id))?.services).toMatchObject([{ name: 'one', running: true }])
  } finally {
    await other.cleanUp()
  }
})
