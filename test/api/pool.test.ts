// The warm pool: each sandbox is claimed once, shows its symptom, is evicted when its slot is needed, and survives a crash.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MortalLab, smallCatalog, startMortalLab } from '../support/server.ts'

const course = 'scenario-01'
const slots = 2
let lab: MortalLab

beforeAll(async () => {
  lab = await startMortalLab({
    ...smallCatalog,
    LAB_POOL: String(slots),
    LAB_CAPACITY: '4',
    LAB_QUEUE_MAX: '9',
    LAB_ACCOUNT_SANDBOXES: '20',
    LAB_LONGEST_MINUTES: '20',
  })
})
afterAll(() => lab?.close())

const warm = async (): Promise<number> => (await lab.call('GET', '/labs/capacity')).body.warm[course] ?? 0
const ready = (count: number) => expect.poll(warm, { interval: 200 }).toBe(count)
const unclaimed = async () =>
  (await lab.inside.store.slots.listUnclaimed()).filter(({ pool_state }) => pool_state === 'warm').map(({ id }) => id)
const start = (extra: object = {}) => lab.call('POST', '/sandbox/start', { course_id: course, ...extra })
const stop = (session_id: string) => lab.call('POST', '/sandbox/stop', { session_id })
const stopAll = (sessions: readonly { session_id: string }[]) => Promise.all(sessions.map(({ session_id }) => stop(session_id)))
const run = async (session_id: string, command: string, container = 'ops') =>
  (await lab.call('POST', '/sandbox/exec', { session_id, command, container })).body.stdout as string
const site = (session_id: string) => run(session_id, 'curl -s -o /dev/null -w %{http_code} http://web/')
const summaries = async () => (await lab.inside.engine.list()).map(({ id }) => id).sort()

describe('the warm pool', () => {
  it('has one of the default course at once, which shows its symptom and gets its full lifetime when it is claimed', async () => {
    await ready(1)
    const [standing] = await unclaimed()
    expect((await lab.call('GET', '/labs/capacity')).body).toMatchObject({ in_use: 0, available: 4 })
    expect((await lab.call('GET', '/sandbox')).body.items).toEqual([])
    expect((await lab.call('GET', `/sandbox/${standing}`)).status).toBe(404)
    const before = Date.now()
    const { body } = await start()
    expect(body).toMatchObject({ id: standing, status: 'running', containers: ['ops', 'web'], evaluations_left: 20 })
    expect(Date.parse(body.created_at)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(20 * 60_000) // its course asks for more
    expect(await site(body.session_id)).toBe('404')
    await stop(body.session_id)
  })

  it('grows with demand, and lets no two callers have the same', async () => {
    await stop((await start()).body.session_id)
    await ready(slots)
    const answers = await Promise.all(Array.from({ length: 6 }, () => start({ async: true })))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 202))
    const running = async () =>
      (await lab.call('GET', '/sandbox')).body.items.filter(({ status }: { status: string }) => status === 'running')
    await expect.poll(async () => (await running()).length, { interval: 200 }).toBe(4)
    const items = (await running()) as { id: string; session_id: string }[]
    expect(new Set(items.map(({ id }) => id)).size).toBe(4)
    expect((await lab.call('GET', '/labs/capacity')).body).toMatchObject({ in_use: 4, warm: {}, queue: { length: 2 } })
    await stopAll(items)
    await expect.poll(async () => (await running()).length, { interval: 200 }).toBe(2)
    await stopAll(await running())
  })

  it('makes room when slots are needed for something else', async () => {
    await ready(slots)
    const evicted = await unclaimed()
    const own = await Promise.all(['a', 'b', 'c', 'd'].map((seed) => start({ seed })))
    expect(own.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(own.map(({ body }) => body.id)).not.toEqual(expect.arrayContaining([evicted[0]]))
    const ids = own.map(({ body }) => body.id).sort()
    await expect.poll(summaries, { interval: 200 }).toEqual(ids)
    for (const id of evicted) expect(await lab.inside.store.sandboxes.find(id)).toBeNull()
    await stopAll(own.map(({ body }) => body))
  })

  it('survives a crash, and a sandbox without its symptom is built again for its caller', async () => {
    await ready(slots)
    const before = await unclaimed()
    await lab.rebirth()
    expect(await unclaimed()).toEqual(before)
    const [first] = before as [string]
    const repaired = await lab.inside.engine.exec(
      { sandbox: first, service: 'web' },
      { argv: ['nginx', '-s', 'stop'], timeoutMs: 10_000, outputBytes: 4096 },
    )
    expect([0, 137]).toContain(repaired.exitCode) // the machine ends with its nginx, and may take the command along
    const { status, body } = await start()
    expect([status, body.id]).toEqual([200, first])
    expect(await site(body.session_id)).toBe('404')
    await stop(body.session_id)
  })

  it('notices what vanished, and what was half made when its server was killed', async () => {
    await ready(slots)
    const [gone] = (await unclaimed()) as [string]
    await lab.inside.engine.destroy(gone)
    const { session_id } = (await start()).body
    await expect
      .poll(async () => (await lab.inside.store.slots.listUnclaimed()).some(({ pool_state }) => pool_state === 'warming'), {
        interval: 10,
      })
      .toBe(true)
    const half = (await lab.inside.store.slots.listUnclaimed()).find(({ pool_state }) => pool_state === 'warming')?.id ?? ''
    await lab.rebirth()
    await stop(session_id)
    expect(await lab.inside.store.sandboxes.find(half)).toBeNull()
    expect(await summaries()).not.toContain(half)
    await ready(slots)
    expect(await unclaimed()).not.toContain(gone)
    expect(await summaries()).toEqual((await unclaimed()).sort())
  })
})
