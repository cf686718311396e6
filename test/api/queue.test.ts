// One slot and many starts: the queue keeps its order, and a failed atomic batch leaves nothing behind.

import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Job } from '../../src/contract/job.ts'
import { type MortalLab, smallCatalog, startMortalLab } from '../support/server.ts'
import { withoutTickets } from '../support/without-tickets.ts'

let lab: MortalLab

beforeAll(async () => {
  lab = await startMortalLab({ ...smallCatalog, LAB_CAPACITY: '2', LAB_QUEUE_MAX: '3', LAB_ACCOUNT_SANDBOXES: '20' })
})
afterAll(() => lab?.close())

const call: MortalLab['call'] = (...request) => lab.call(...request)
const start = (extra: object = {}) => call('POST', '/sandbox/start', { course_id: 'scenario-01', ...extra })
const sandboxes = async () => (await call('GET', '/sandbox')).body.items as { id: string; session_id: string; status: string }[]
const capacity = async () => (await call('GET', '/labs/capacity')).body
const stop = (session_id: string) => call('POST', '/sandbox/stop', { session_id })
const job = async (id: string): Promise<Job> => (await call('GET', `/jobs/${id}`)).body

const emptyHouse = async () => {
  for (let left = await sandboxes(); left.length > 0 || (await capacity()).queue.length > 0; left = await sandboxes()) {
    await Promise.all(left.map(({ session_id }) => stop(session_id)))
  }
}
afterEach(emptyHouse)

describe('the queue', () => {
  it('takes a synchronous start when the house is full, in order, and hands places on', async () => {
    const [first, second] = (await Promise.all([start(), start()])).map(({ body }) => body)
    expect(await capacity()).toMatchObject({ status: 'busy', in_use: 2, available: 0, queue: { length: 0, max: 3 } })
    const queued = [await start(), await start({ async: true }), await start()]
    expect(queued.map(({ status, body }) => [status, body.status, body.queue_position])).toEqual([
      [202, 'queued', 1],
      [202, 'queued', 2],
      [202, 'queued', 3],
    ])
    for (const { headers, body } of queued) {
      expect([headers.get('location'), headers.get('retry-after')]).toEqual([body.status_url, String(body.poll_after_seconds)])
    }
    expect(await capacity()).toMatchObject({ status: 'full', queue: { length: 3 } })
    const refused = await start()
    expect([refused.status, refused.body.error.code, Number(refused.headers.get('retry-after')) > 0]).toEqual([
      429,
      'capacity_exhausted',
      true,
    ])

    const ids = queued.map(({ body }) => body.job_id as string) as [string, string, string]
    expect((await call('DELETE', `/jobs/${ids[1]}`)).body.status).toBe('cancelled')
    expect((await call('DELETE', `/jobs/${ids[1]}`)).status).toBe(200)
    expect((await job(ids[2])).queue_position).toBe(2)

    await stop(first.session_id)
    await expect.poll(async () => (await job(ids[0])).status, { interval: 100 }).toBe('succeeded')
    expect((await job(ids[2])).status).toBe('queued')
    expect((await call('DELETE', `/jobs/${ids[0]}`)).body.error.code).toBe('job_not_cancellable')
    await stop(second.session_id)
    await expect.poll(async () => (await job(ids[2])).status, { interval: 100 }).toBe('succeeded')
    const { session } = await job(ids[2])
    expect((await call('POST', '/sandbox/exec', { session_id: session?.session_id, command: 'hostname' })).body.stdout).toBe('ops\n')
    expect((await capacity()).queue.length).toBe(0)
  })

  it('knows how long it takes once it has seen enough, and survives a kill', async () => {
    expect((await lab.inside.store.sandboxes.lifetimes(50)).length).toBeGreaterThanOrEqual(3)
    await Promise.all([start({ async: true }), start({ async: true })])
    const waiting = (await start({ async: true })).body
    expect([waiting.status, waiting.queue_position]).toEqual(['queued', 1])
    expect(waiting.estimated_wait_seconds).toBeGreaterThanOrEqual(1)
    await lab.rebirth()
    await expect.poll(async () => (await job(waiting.job_id)).status, { interval: 100 }).toBe('succeeded')
  })
})

describe('an atomic batch', () => {
  const begin = { method: 'POST', path: '/sandbox/start', body: { course_id: 'scenario-01', async: true } }
  const wait = { method: 'POST', path: '/sandbox/start', body: { course_id: 'scenario-01' } }
  const look = { method: 'GET', path: '/health' }
  const failing = { method: 'GET', path: '/courses/nothing' }
  const atomic = (requests: unknown[], key?: string) =>
    call('POST', '/batch', { mode: 'atomic', requests }, key === undefined ? {} : { 'idempotency-key': key })
  const everything = async () => {
    const { accountId } = await lab.inside.accounts.operator()
    const rows = await lab.inside.store.sandboxes.listByAccount(accountId)
    const onEngine = await lab.inside.engine.list()
    return {
      sandboxes: rows.map(({ id }) => id),
      queued: await lab.inside.store.slots.countQueued(),
      onEngine: onEngine.map(({ id }) => id).sort(),
    }
  }

  it.each([0, 2, 4])('that fails at position %i changes nothing', async (position) => {
    const before = await everything()
    const requests: object[] = [begin, look, begin, begin]
    requests.splice(position, 0, failing)
    const { status, body } = await atomic(requests)
    expect(status).toBe(200)
    const statuses = body.responses.map((entry: { status: number }) => entry.status)
    expect(statuses).toEqual(
      requests.map((request, index) => (index === position ? 404 : request === look && index < position ? 200 : 424)),
    )
    for (const [index, entry] of body.responses.entries()) {
      if (entry.status !== 424) continue
      expect(entry.body.error.code).toBe('batch_undone')
      expect(entry.body.error.message).toContain(index < position ? 'was undone' : 'was not run')
    }
    expect(await everything()).toEqual(before)
  })

  it('that runs out of room undoes what it had started, also when that was ready', async () => {
    const before = await everything()
    const { body } = await atomic([wait, begin, begin, begin, begin, begin])
    expect(body.responses.map((entry: { status: number }) => entry.status)).toEqual([424, 424, 424, 424, 424, 429])
    expect(await everything()).toEqual(before)
  })

  it('that succeeds keeps everything, and its key replays it', async () => {
    const key = randomUUID()
    const first = await atomic([wait, look, { method: 'GET', path: '/sandbox' }], key)
    expect(first.body.responses.map((entry: { status: number }) => entry.status)).toEqual([200, 200, 200])
    const [sandbox] = await sandboxes()
    expect(first.body.responses[0].body.session_id).toBe(sandbox?.session_id)
    const again = await atomic([wait, look, { method: 'GET', path: '/sandbox' }], key)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(withoutTickets(again.body)).toEqual(withoutTickets(first.body))
    expect(await sandboxes()).toHaveLength(1)
  })

  it('that a kill cut off is undone by the next start, and its key carries it out', async () => {
    const before = await everything()
    const key = randomUUID()
    const lost = atomic([wait, wait], key).catch(() => null)
    await expect
      .poll(async () => (await sandboxes().catch(() => [])).some(({ status }) => status === 'running'), { interval: 20 })
      .toBe(true)
    await lab.rebirth(lost)
    expect(await everything()).toEqual(before)
    const again = await atomic([wait, wait], key)
    expect(again.body.responses.map((entry: { status: number }) => entry.status)).toEqual([200, 200])
    expect(await sandboxes()).toHaveLength(2)
  })
})

it('a sequential batch goes on after a failure, and a retry after a kill repeats no start', async () => {
  const key = randomUUID()
  const requests = [
    { method: 'GET', path: '/courses/nothing' },
    { method: 'POST', path: '/sandbox/start', body: { course_id: 'scenario-01' } },
    { method: 'POST', path: '/sandbox/start', body: { course_id: 'scenario-01' } },
  ]
  const send = () => call('POST', '/batch', { requests }, { 'idempotency-key': key })
  const lost = send().catch(() => null)
  await expect
    .poll(async () => (await sandboxes().catch(() => [])).filter(({ status }) => status === 'running').length, {
      interval: 20,
    })
    .toBe(1)
  await expect.poll(async () => (await sandboxes().catch(() => [])).length, { interval: 20 }).toBe(2)
  await lab.rebirth(lost)
  const [kept] = await sandboxes()
  const { body } = await send()
  expect(body.responses.map((entry: { status: number }) => entry.status)).toEqual([404, 200, 200])
  expect(body.responses[1].body.id).toBe(kept?.id)
  expect((await sandboxes()).map(({ id }) => id).sort()).toEqual(
    body.responses
      .slice(1)
      .map((entry: { body: { id: string } }) => entry.body.id)
      .sort(),
  )
})
