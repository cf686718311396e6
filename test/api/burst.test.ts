// Far more starts at once than there are slots: as many as there are slots run, the rest is queued in order or refused, none is lost.

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Job } from '../../src/contract/job.ts'
import { type Answer, type MortalLab, smallCatalog, startMortalLab } from '../support/server.ts'
import { deep } from '../support/test-mode.ts'

const { starts, capacity, queue } = deep ? { starts: 200, capacity: 20, queue: 50 } : { starts: 20, capacity: 3, queue: 4 }
let lab: MortalLab

beforeAll(async () => {
  const slots = { LAB_CAPACITY: String(capacity), LAB_QUEUE_MAX: String(queue), LAB_ACCOUNT_SANDBOXES: '999' }
  lab = await startMortalLab({ ...smallCatalog, ...slots, LAB_POOL: '2' })
})
afterAll(() => lab?.close())

const waiting = { timeout: 540_000, interval: 200 }
const listed = async () => (await lab.call('GET', '/sandbox')).body.items as { id: string; session_id: string; status: string }[]
const job = async (id: string): Promise<Job> => (await lab.call('GET', `/jobs/${id}`)).body
const here = async () => (await lab.call('GET', '/labs/capacity')).body

it(`${starts} starts against ${capacity} places`, { timeout: 600_000 }, async () => {
  const seen: number[] = []
  let over = false
  const watch = (async () => {
    while (!over) {
      seen.push((await here()).in_use)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })()
  watch.catch(() => undefined) // awaited at the end
  const order: string[] = []
  const start = async (): Promise<Answer> => {
    const answer = await lab.call('POST', '/sandbox/start', { course_id: 'scenario-01', async: true })
    if (answer.status === 202) order.push(answer.body.job_id)
    return answer
  }
  const answers = await Promise.all(Array.from({ length: starts }, start))
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(starts - capacity - queue)
  for (const { headers, body } of refused) {
    expect([body.error.code, Number(headers.get('retry-after')) > 0]).toEqual(['capacity_exhausted', true])
  }
  expect(order).toHaveLength(capacity + queue)

  const running = async () => (await listed()).filter(({ status }) => status === 'running')
  await expect.poll(async () => (await running()).length, waiting).toBe(capacity)
  const jobs = await Promise.all(order.map(job))
  const queued = jobs.filter(({ status }) => status === 'queued')
  expect(queued.map(({ queue_position }) => queue_position).sort((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: queue }, (_, index) => index + 1),
  )
  expect(jobs.filter(({ status }) => status === 'succeeded')).toHaveLength(capacity)
  expect(await here()).toMatchObject({ in_use: capacity, available: 0, status: 'full', queue: { length: queue } })

  const inOrder = queued.sort((a, b) => Number(a.queue_position) - Number(b.queue_position)).map(({ job_id }) => job_id)
  for (const { session_id } of (await running()).slice(0, 2)) await lab.call('POST', '/sandbox/stop', { session_id })
  await expect.poll(async () => (await job(inOrder[1] as string)).status, waiting).toBe('succeeded')
  expect((await job(inOrder[0] as string)).status).toBe('succeeded')
  expect((await job(inOrder[2] as string)).queue_position).toBe(1)

  for (const id of inOrder.slice(2)) expect((await lab.call('DELETE', `/jobs/${id}`)).body.status).toBe('cancelled')
  await Promise.all((await listed()).map(({ session_id }) => lab.call('POST', '/sandbox/stop', { session_id })))
  over = true
  await watch
  expect(Math.max(...seen)).toBe(capacity)
  const states = await Promise.all(order.map(async (id) => (await job(id)).status))
  expect(new Set(states)).toEqual(new Set(['succeeded', 'cancelled']))
  const leftovers = async () => {
    const onEngine = await lab.inside.engine.list()
    const standing = new Set((await lab.inside.store.slots.listUnclaimed()).map(({ id }) => id))
    return onEngine.filter(({ id }) => !standing.has(id))
  }
  await expect.poll(leftovers, waiting).toEqual([])
})
