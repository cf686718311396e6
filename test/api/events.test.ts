// The events of a sandbox: what they tell, to whom, and how many may listen.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient as createTypedClient } from '../../src/client/client.ts'
import { type Evaluation, stepNames } from '../../src/contract/evaluation.ts'
import type { SandboxEvent, SandboxEventName } from '../../src/contract/event.ts'
import { createId } from '../../src/ids.ts'
import { createMember } from '../support/accounts.ts'
import { openBrowser } from '../support/browser.ts'
import { type MortalLab, runLab, smallCatalog, startMortalLab } from '../support/server.ts'

const [perSandbox, perAccount] = [3, 4]
let lab: MortalLab
let session: { session_id: string; id: string }

beforeAll(async () => {
  lab = await startMortalLab({
    ...smallCatalog,
    LAB_SANDBOX_EVENT_STREAMS: String(perSandbox),
    LAB_ACCOUNT_EVENT_STREAMS: String(perAccount),
    LAB_EVALUATION_SPACING_SECONDS: '0',
  })
  session = await start()
})
afterAll(() => lab?.close())

const start = async () => (await lab.call('POST', '/sandbox/start', { course_id: 'scenario-01' })).body
const post = (path: string, body: object = {}, { session_id } = session) => lab.call('POST', path, { session_id, ...body })

type EventOf<Name extends SandboxEventName> = Extract<SandboxEvent, { event: Name }>

/** Follows a sandbox with the typed client, as the owner. */
const follow = (id: string) => {
  const over = new AbortController()
  const events: SandboxEvent[] = []
  const connections: boolean[] = []
  const client = createTypedClient({ rootUrl: lab.url(), token: lab.token })
  const options = { signal: over.signal, onConnection: (isOpen: boolean) => void connections.push(isOpen) }
  const done = (async () => {
    for await (const event of client.follow(id, options)) events.push(event)
  })()
  const all = <Name extends SandboxEventName>(name: Name) =>
    events.filter((event): event is EventOf<Name> => event.event === name).map(({ data }) => data) as EventOf<Name>['data'][]
  const seen = async <Name extends SandboxEventName>(name: Name, isWanted: (data: EventOf<Name>['data']) => boolean = () => true) => {
    await expect.poll(() => all(name).some(isWanted), { timeout: 20_000 }).toBe(true)
    const [found] = all(name).filter(isWanted)
    if (found === undefined) throw new Error(`there is no such ${name}`)
    return found
  }
  const close = async () => {
    over.abort()
    await done
  }
  return { events, connections, all, seen, close, done }
}

const open = async (id: string, headers: Record<string, string> = { authorization: `Bearer ${lab.token}` }) => {
  const over = new AbortController()
  const response = await fetch(`${lab.url()}/api/v1/sandbox/${id}/events`, { headers, signal: over.signal })
  return { response, close: () => over.abort() }
}

describe('the events of a sandbox', () => {
  it('begin with all there is to know, without its key', async () => {
    const { seen, close, events } = follow(session.id)
    const snapshot = await seen('snapshot')
    expect(snapshot).toMatchObject({ sandbox: { id: session.id, status: 'running' }, grading: null, evaluation: null })
    expect(snapshot.containers.map(({ name, status }) => [name, status])).toEqual([
      ['ops', 'running'],
      ['web', 'running'],
    ])
    expect(JSON.stringify(events)).not.toContain(session.session_id)
    await close()
  })

  it('tell of containers that stop and start, and of another end of life', async () => {
    const { seen, close, all } = follow(session.id)
    const before = await seen('snapshot')
    await post('/sandbox/restart', { container: 'web' })
    const web = before.containers.find(({ name }) => name === 'web')
    await seen('container', ({ name, status, started_at }) => name === 'web' && status === 'running' && started_at !== web?.started_at)
    expect(all('container').some(({ name }) => name === 'ops')).toBe(false)
    const { body } = await post('/sandbox/extend')
    await seen('sandbox', ({ expires_at }) => expires_at === body.expires_at)
    await close()
  })

  it('tell each step of an evaluation when it is decided, with what the evaluation says and no more', async () => {
    const { seen, close, all, events } = follow(session.id)
    await seen('snapshot')
    const failed: Evaluation = (await post('/sandbox/eval')).body
    const record = await seen('evaluation')
    expect(record).toMatchObject({ id: failed.evaluation_id, passed: false, score: failed.score, checkpoints: failed.checkpoints })
    const steps = all('step')
    const inOrder = stepNames.map((name) => steps.filter((step) => step.name === name))
    expect(inOrder.map(({ length }) => length)).toEqual(stepNames.map(() => 1))
    expect(inOrder.flat().map(({ name, output }) => ({ name, output }))).toEqual(
      failed.checkpoints.map(({ name, output }) => ({ name, output })),
    )
    expect(inOrder.flat().map(({ outcome }) => outcome)).toEqual(
      failed.checkpoints.map(({ passed, output }) => (passed ? 'passed' : output === 'not attempted' ? 'not_attempted' : 'failed')),
    )
    expect(events.map(({ event }) => event).filter((name) => ['grading', 'step', 'evaluation'].includes(name))).toEqual([
      'grading',
      ...stepNames.map(() => 'step'),
      'evaluation',
    ])
    await close()
  })

  it('tell whoever comes in the middle of an evaluation what is decided so far', async () => {
    await post('/sandbox/exec', { command: 'mv /srv/index.html /srv/www/index.html', container: 'web' })
    const first = follow(session.id)
    const grading = post('/sandbox/eval')
    await first.seen('step', ({ name }) => name === 'topology_intact')
    const second = follow(session.id)
    const snapshot = await second.seen('snapshot')
    expect(snapshot.grading?.steps).toContainEqual({ name: 'topology_intact', outcome: 'passed', output: expect.any(String) })
    expect((await grading).body.passed).toBe(true)
    for (const { seen, all, close } of [first, second]) {
      expect(await seen('evaluation', ({ passed }) => passed)).toMatchObject({ score: 100 })
      await seen('sandbox', ({ status }) => status === 'completed')
      expect(all('grading_failed')).toEqual([])
      await close()
    }
  })

  it('tell what another server has done to the same store', async () => {
    const { seen, close } = follow(session.id)
    const { evaluation, sandbox } = await seen('snapshot')
    const { store, clock } = lab.inside
    const id = createId()
    const last = await store.evaluations.lastOf(session.id)
    if (last === null) throw new Error('it was graded before')
    const { sandbox_created_at: _, ...row } = last
    await store.evaluations.insert({ ...row, id, request_id: null, started_at: clock.now().toISOString() })
    expect((await seen('evaluation')).id).toBe(id)
    expect(evaluation?.id).not.toBe(id)
    await seen('sandbox', ({ evaluations_left }) => evaluations_left === sandbox.evaluations_left - 1)
    await close()
  })

  it('go on after the server was replaced, with a new snapshot', async () => {
    const { seen, all, connections, close } = follow(session.id)
    await seen('snapshot')
    await lab.replace()
    await expect.poll(() => all('snapshot').length, { timeout: 30_000 }).toBe(2)
    expect(connections).toEqual([true, false, true])
    await close()
  })

  it('warn before it expires, and end with it', async () => {
    const other = await start()
    const { seen, events, done } = follow(other.id)
    await seen('snapshot')
    await lab.inside.store.sandboxes.markCompleted(other.id, new Date(lab.inside.clock.now().getTime() + 30_000).toISOString())
    expect(await seen('warning')).toEqual({ minutes_left: 1, message: 'less than a minute left' })
    await post('/sandbox/stop', {}, other)
    await done
    expect(events.at(-1)).toEqual({
      event: 'end',
      data: { termination_reason: 'stopped', message: 'the sandbox has ended: it was stopped' },
    })
    const again = follow(other.id)
    await again.done
    expect(again.events.map(({ event }) => event)).toEqual(['snapshot', 'end'])
    const known = await open(other.id, { authorization: `Bearer ${lab.token}`, 'last-event-id': 'end' })
    expect([known.response.status, await known.response.text()]).toEqual([204, ''])
  })
})

describe('who may follow', () => {
  it('is the owner, with a token or from a page of this service', async () => {
    const { token } = await createMember(lab.inside, 'Member')
    expect((await open(session.id, {})).response.status).toBe(401)
    expect((await open(session.id, { authorization: 'Bearer ilab_pat_wrong' })).response.status).toBe(401)
    expect((await open(session.id, { authorization: `Bearer ${token}` })).response.status).toBe(404)
    expect((await open(session.session_id)).response.status).toBe(404)
    const browser = openBrowser(lab.url())
    const link = (await runLab(['signin', '--data', lab.dataDir])).stdout
    const code = /#(\S+)/.exec(link)?.[1]
    expect((await browser.call('POST', '/api/v1/auth/local', { code })).status).toBe(200)
    const cookie = browser.cookieHeader()
    for (const [headers, status] of [
      [{ 'sec-fetch-site': 'same-origin' }, 200],
      [{ 'sec-fetch-site': 'same-site', origin: 'http://localhost:1' }, 403],
      [{ 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' }, 403],
      [{ origin: 'https://elsewhere.example' }, 403],
    ] as const) {
      const { response, close } = await open(session.id, { cookie, ...headers })
      expect(response.status, JSON.stringify(headers)).toBe(status)
      close()
    }
  })

  it('are so many at a time', async () => {
    const streams: Awaited<ReturnType<typeof open>>[] = []
    const openAnother = async () => {
      const stream = await open(session.id)
      if (stream.response.status === 200) streams.push(stream)
      return streams.length
    }
    await expect.poll(openAnother).toBe(perSandbox) // those of the tests before are gone soon
    expect(streams[0]?.response.headers.get('content-type')).toBe('text/event-stream')
    const refused = await lab.call('GET', `/sandbox/${session.id}/events`)
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'too_many_connections', details: { limit: perSandbox } } } })
    const other = await start()
    const one = await open(other.id)
    const full = await lab.call('GET', `/sandbox/${other.id}/events`)
    expect([one.response.status, full.status, full.body.error.details]).toEqual([200, 429, { limit: perAccount }])
    one.close()
    await post('/sandbox/stop', {}, other)
    for (const { close } of streams) close()
    await expect
      .poll(async () => {
        const { response, close } = await open(session.id)
        close()
        return response.status
      })
      .toBe(200)
  })

  it('asks only, by HEAD; and not in a batch, which would not end', async () => {
    for (let asked = 0; asked <= perSandbox; asked += 1) {
      const head = await fetch(`${lab.url()}/api/v1/sandbox/${session.id}/events`, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${lab.token}` },
      })
      expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    }
    const path = `/sandbox/${session.id}/events`
    const { status, body } = await lab.call('POST', '/batch', { requests: [{ method: 'GET', path }] })
    expect([status, body.error.code]).toEqual([400, 'invalid_request'])
  })
})
