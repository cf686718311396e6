// Retried writes are executed once and get the same response, in parallel and across a kill of the server.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Answer, type MortalLab, smallCatalog, startMortalLab } from '../support/server.ts'
import { withoutTickets } from '../support/without-tickets.ts'

let lab: MortalLab

beforeAll(async () => {
  lab = await startMortalLab({ ...smallCatalog, LAB_ACCOUNT_SANDBOXES: '10', LAB_EVALUATION_SPACING_SECONDS: '0' })
})
afterAll(() => lab?.close())

const post = (path: string, body: unknown, key: string): Promise<Answer> => lab.call('POST', path, body, { 'idempotency-key': key })
const start = (key: string, extra: object = {}) => post('/sandbox/start', { course_id: 'scenario-01', ...extra }, key)
const list = async () => (await lab.call('GET', '/sandbox')).body.items as { id: string; session_id: string }[]
const stopAll = async () => {
  await Promise.all((await list()).map(({ session_id }) => lab.call('POST', '/sandbox/stop', { session_id })))
}

describe('one key', () => {
  it('sent 100 times at once makes one sandbox, and every answer is about that one', async () => {
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 100 }, () => start(key)))
    const sandboxes = await list()
    expect(sandboxes).toHaveLength(1)
    const done = answers.filter(({ status }) => status === 200)
    expect(done.length).toBeGreaterThanOrEqual(1)
    expect(done.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
    for (const { status, body, headers } of answers) {
      if (status === 200) expect(body.session_id).toBe(sandboxes[0]?.session_id)
      else expect([status, body.error.code, headers.get('retry-after')]).toEqual([409, 'idempotency_in_progress', '1'])
    }
    const late = await start(key)
    expect([late.status, late.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    const original = done.find(({ headers }) => headers.get('idempotent-replayed') === null)?.body
    expect(late.body).toEqual({ ...original, terminal_url: expect.any(String) })
  })

  it('is the same quoted and in capitals, and the order of the fields does not matter', async () => {
    const key = randomUUID()
    const first = await post('/batch', { mode: 'sequential', requests: [{ method: 'GET', path: '/health' }] }, key)
    const again = await post('/batch', { requests: [{ path: '/health', method: 'GET' }], mode: 'sequential' }, `"${key.toUpperCase()}"`)
    expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([200, 'true', first.body])
  })

  it('with another body is 422; with another path, or of another caller, it is another key', async () => {
    const key = randomUUID()
    const batch = (path: string) => post('/batch', { requests: [{ method: 'GET', path }] }, key)
    expect((await batch('/health')).status).toBe(200)
    const reused = await batch('/courses')
    expect([reused.status, reused.body.error.code]).toEqual([422, 'idempotency_key_reused'])
    expect((await post('/sandbox/stop', { session_id: 'x' }, key)).status).toBe(404)
  })

  it.each(['', 'one', '1234', `${randomUUID()}0`, `"${randomUUID()}`, `${randomUUID()}, ${randomUUID()}`])(
    'that is not a UUID is refused: %s',
    async (key) => {
      const answer = await post('/sandbox/start', { course_id: 'scenario-01' }, key)
      expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request'])
    },
  )

  it('keeps refusals of the request, and nothing that another try may change', async () => {
    const key = randomUUID()
    const [first, again] = [await start(key, { course_id: 'nothing' }), await start(key, { course_id: 'nothing' })]
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([404, 404, 'true'])
    expect(again.body).toEqual({ error: { ...first.body.error, request_id: again.headers.get('x-request-id') } })
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
    const anonymous = await lab.call('POST', '/sandbox/start', {}, { 'idempotency-key': key }, 'wrong')
    expect(anonymous.status).toBe(401)
  })

  it('tells what its sandbox is now, and all else as it was answered', async () => {
    const [key, later, inBatch] = [randomUUID(), randomUUID(), randomUUID()]
    const first = await start(key)
    const accepted = await start(later, { async: true })
    const batch = () =>
      post('/batch', { requests: [{ method: 'POST', path: '/sandbox/extend', body: { session_id: first.body.session_id } }] }, inBatch)
    const extended = (await batch()).body.responses[0]
    await expect.poll(async () => (await lab.call('GET', `/jobs/${accepted.body.job_id}`)).body.status, { interval: 100 }).toBe('succeeded')
    await stopAll()
    const ended = { status: 'terminated', termination_reason: 'stopped' }
    expect((await start(key)).body).toEqual({ ...withoutTickets(first.body), ...ended })
    expect((await batch()).body.responses).toEqual([{ status: 200, body: { ...withoutTickets(extended.body), ...ended } }])
    const again = await start(later, { async: true })
    expect([again.status, again.headers.get('location'), again.headers.get('retry-after')]).toEqual([202, accepted.body.status_url, '0'])
    expect(again.body).toMatchObject({ job_id: accepted.body.job_id, status: 'succeeded', session: ended })
  })

  it('leaves no secret in the store', async () => {
    const key = randomUUID()
    const { body } = await start(key)
    const identity = { writer: await lab.inside.accounts.operator(), method: 'POST', path: '/api/v1/sandbox/start', key }
    const { createIdempotentRequests } = await import('../../src/accounts/idempotent-requests.ts')
    const remembered = await createIdempotentRequests({
      store: lab.inside.store.requests,
      clock: lab.inside.clock,
      node: 'x',
      bootId: 'x',
      limits: { idempotencyHours: 24, keptAccountBytes: 0 },
    }).begin(identity, { course_id: 'scenario-01' })
    expect(remembered).toMatchObject({
      state: 'answered',
      status: 200,
      answer: { body: expect.stringContaining(body.id), sandboxes: [body.id] },
    })
    expect(JSON.stringify(remembered)).not.toContain(body.session_id.split('.')[1])
    await stopAll()
  })
})

describe('a kill of the server', () => {
  it('between effect and answer: the same key gives the first result', async () => {
    const key = randomUUID()
    const lost = start(key).catch(() => null)
    await expect
      .poll(async () => (await lab.inside.store.sandboxes.listLive()).filter(({ status }) => status === 'running').length, {
        interval: 5,
      })
      .toBe(1)
    await lab.rebirth(lost)
    const [row] = await lab.inside.store.sandboxes.listLive()
    const again = await start(key)
    expect([again.status, again.body.id]).toEqual([200, row?.id])
    expect((await start(key)).body).toEqual({ ...again.body, terminal_url: expect.any(String) })
    expect(await list()).toHaveLength(1)
  })

  describe('while a command, an asynchronous start and a start are under way', () => {
    let sandbox: { id: string; session_id: string }
    let job: string
    const keys = { command: randomUUID(), asynchronous: randomUUID(), start: randomUUID() }
    const command = () => ({ session_id: sandbox.session_id, command: 'echo ran >> /tmp/runs; sleep 20' })
    const runs = async () => {
      const body = { session_id: sandbox.session_id, command: 'cat /tmp/runs' }
      return (await lab.call('POST', '/sandbox/exec', body)).body.stdout
    }

    beforeAll(async () => {
      ;[sandbox] = (await list()) as [typeof sandbox]
      const lostCommand = post('/sandbox/exec', command(), keys.command).catch(() => null)
      await vi.waitUntil(async () => (await runs()) === 'ran\n', { timeout: 60_000 })
      job = (await start(keys.asynchronous, { async: true })).body.job_id
      const lostStart = start(keys.start).catch(() => null)
      await vi.waitUntil(async () => (await lab.inside.store.sandboxes.listLive()).length === 3, { interval: 5, timeout: 60_000 })
      await lab.rebirth(Promise.all([lostCommand, lostStart]))
    })

    it('before the effect: the same key carries it out', async () => {
      const ids = async () => (await list()).map(({ id }) => id)
      expect(await ids()).toEqual([sandbox.id])
      const again = await start(keys.start)
      expect([again.status, await ids()]).toEqual([200, [sandbox.id, again.body.id]])
    })

    it('during an asynchronous start: the same key gives the same job', async () => {
      const again = await start(keys.asynchronous, { async: true })
      expect([again.status, again.body.job_id]).toEqual([202, job])
    })

    it('during a command: the outcome is unknown, and it is not run twice', async () => {
      for (const _ of [1, 2]) {
        const again = await post('/sandbox/exec', command(), keys.command)
        expect([again.status, again.body.error.code]).toEqual([409, 'idempotency_outcome_unknown'])
      }
      await delay(200)
      expect(await runs()).toBe('ran\n')
    })
  })

  it('during an evaluation that was finished: the same key gives its result, and costs no second one', async () => {
    const [sandbox] = await list()
    const key = randomUUID()
    const lost = post('/sandbox/eval', { session_id: sandbox?.session_id }, key).catch(() => null)
    const { accountId } = await lab.inside.accounts.operator()
    await expect.poll(() => lab.inside.store.evaluations.countByAccount(accountId), { interval: 2 }).toBe(1)
    await lab.rebirth(lost)
    const again = await post('/sandbox/eval', { session_id: sandbox?.session_id }, key)
    expect([again.status, again.body.score, again.body.evaluations_left]).toEqual([200, 40, 19])
    expect(await lab.inside.store.evaluations.countByAccount(accountId)).toBe(1)
  })
})
