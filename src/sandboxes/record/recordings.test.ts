import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import type { SandboxRow } from '../../store/sandboxes.ts'
import { openStore, type Store } from '../../store/store.ts'
import { createAccess } from '../access.ts'
import { createSessionIds } from '../session-id.ts'
import { createRecorder } from './recorder.ts'
import { createRecordings } from './recordings.ts'

let place: string
let store: Store
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'incident-lab-recordings-'))
  store = await openStore({ databaseUrl: undefined, file: join(place, 'lab.sqlite'), now: new Date() })
})
afterEach(async () => {
  await store.close()
  await rm(place, { recursive: true, force: true })
})

const dayMs = 24 * 60 * 60_000
const room = { total: 10, anonymous: 10, own: 10, queue: 0 }
const row = (id: string): SandboxRow => ({
  ...{
    id,
    account_id: null,
    address: '192.0.2.1',
    seed: 'seed',
    baseline: null,
    hints_used: 0,
    hints_given: '[]',
    hints_given_at: '[]',
    grading_errors: 0,
    given_up_at: null,
    termination_by: null,
    termination_note: null,
  },
  ...{
    request_id: null,
    batch_id: null,
    pool_state: null,
    course_id: 'scenario-01',
    status: 'running',
    termination_reason: null,
    containers: '["ops"]',
  },
  ...{ created_at: new Date().toISOString(), expires_at: new Date().toISOString(), deadline: new Date().toISOString(), ended_at: null },
  ...{ node: 'here', boot_id: 'now' },
})

it('of a deleted account go at the next look, wherever they are, and whatever was still being written', async () => {
  const folder = join(place, 'recordings')
  const recorder = createRecorder({ folder, clock: systemClock, log: pino({ level: 'silent' }), limits: { recordingBytes: 100_000 } })
  const created_at = new Date().toISOString()
  for (const id of ['ada', 'eve']) {
    await store.accounts.insert({ id, name: id, role: 'member', created_at })
    await store.slots.reserve({ ...row(`of ${id}`), account_id: id }, room)
  }
  await store.accounts.remove('ada', created_at)
  await store.sandboxes.markTerminated('of eve', 'stopped', created_at)
  for (const id of ['of ada', 'of eve']) {
    recorder.openTerminal({ sandbox: id, container: 'ops', columns: 80, rows: 24 }).close()
    await recorder.flush(id)
  }
  const access = createAccess({ store: store.sandboxes, batches: store.batches, sessionIds: createSessionIds('secret') })
  const limits = { recordingDays: 7 }
  await createRecordings({ folder, store: store.sandboxes, access, recorder, clock: systemClock, limits }).purge()
  expect(await readdir(folder)).toEqual(['of eve'])
})

it('go some days after the end of their sandbox, also of one that nobody knows; those of living ones stay', async () => {
  const folder = join(place, 'recordings')
  const recorder = createRecorder({ folder, clock: systemClock, log: pino({ level: 'silent' }), limits: { recordingBytes: 100_000 } })
  for (const id of ['living', 'ended', 'unknown']) {
    recorder.openTerminal({ sandbox: id, container: 'ops', columns: 80, rows: 24 }).close()
    await recorder.flush(id)
  }
  for (const id of ['living', 'ended']) await store.slots.reserve(row(id), room)
  await store.sandboxes.markTerminated('ended', 'stopped', new Date().toISOString())
  /** A server's first look at its recordings, so many days from now. */
  const purgeAfter = async (days: number) => {
    const clock = { ...systemClock, now: () => new Date(Date.now() + days * dayMs) }
    const access = createAccess({ store: store.sandboxes, batches: store.batches, sessionIds: createSessionIds('secret') })
    await createRecordings({ folder, store: store.sandboxes, access, recorder, clock, limits: { recordingDays: 7 } }).purge()
    return (await readdir(folder)).sort()
  }
  expect(await purgeAfter(6.9)).toEqual(['ended', 'living', 'unknown'])
  expect(recorder.sandboxes()).toEqual(['living'])
  expect(await purgeAfter(7.1)).toEqual(['living'])
})
