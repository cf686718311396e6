// What is left of an attempt: the report of its owner, and the link that shows it to others until it is switched off.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AttemptReport, ShareCreated } from '../../src/contract/report.ts'
import { createMember } from '../support/accounts.ts'
import { parseCast } from '../support/asciicast.ts'
import { type MortalLab, smallCatalog, startMortalLab } from '../support/server.ts'

let lab: MortalLab
let stranger: string
let session: { session_id: string; id: string }
let other: { session_id: string; id: string }

beforeAll(async () => {
  lab = await startMortalLab({ ...smallCatalog, LAB_EVALUATION_SPACING_SECONDS: '0', LAB_ACCOUNT_SANDBOXES: '3', LAB_LOG_LEVEL: 'debug' })
  stranger = (await createMember(lab.inside, 'Stranger')).token
  session = (await lab.call('POST', '/sandbox/start', { course_id: 'scenario-01' })).body
  other = (await lab.call('POST', '/sandbox/start', { course_id: 'scenario-01' })).body
})
afterAll(() => lab?.close())

const post = (path: string, { session_id }: { session_id: string }, more: object = {}) => lab.call('POST', path, { session_id, ...more })
const report = async () => AttemptReport.parse((await lab.call('GET', `/sandbox/${session.id}/report`)).body)
const share = (as?: string, headers: Record<string, string> = {}) =>
  lab.call('POST', `/sandbox/${session.id}/share`, undefined, headers, as)
const nobody = async (path: string, body: unknown) => {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const response = await fetch(`${lab.url()}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text }
}
const secretIn = (url: string) => new URL(url).hash.slice(1)
const switchOn = async () => secretIn(ShareCreated.parse((await share()).body).share_url)

describe('a report', () => {
  it('tells hints, evaluations, commands and times, and the debrief only once it is due', async () => {
    await post('/sandbox/hint', session)
    await post('/sandbox/eval', session)
    const before = await report()
    expect(before).toMatchObject({ sandbox_id: session.id, passed_at: null, ended_at: null, seconds_taken: null, given_up_at: null })
    expect(before.course).toMatchObject({ id: 'scenario-01', tier: 'beginner' })
    expect(before.hints).toEqual([{ level: 1, given_at: expect.any(String) }])
    expect(before.evaluations).toHaveLength(1)
    expect(before.evaluations[0]?.checkpoints).toHaveLength(7)
    expect(before).not.toHaveProperty('debrief')
    expect(JSON.stringify(before)).not.toContain('session_id')

    await post('/sandbox/exec', session, { container: 'web', command: 'mv /srv/index.html /srv/www/index.html' })
    expect((await post('/sandbox/eval', session)).body.passed).toBe(true)
    const after = await report()
    expect(after.evaluations.map(({ passed }) => passed)).toEqual([false, true])
    expect(after.passed_at).not.toBeNull()
    expect(after.seconds_taken).toBeGreaterThanOrEqual(0)
    expect((await post('/sandbox/eval', session)).body.passed).toBe(true)
    const again = await report()
    expect([again.evaluations.length, again.passed_at, again.seconds_taken]).toEqual([3, after.passed_at, after.seconds_taken])
    expect((await lab.call('GET', `/sandbox/${session.id}`)).body.seconds_to_repair).toBe(after.seconds_taken)
    expect(after.debrief).toContain('/srv')
    const [recorded] = after.recordings
    const cast = parseCast((await lab.call('GET', `/sandbox/${session.id}/recordings/${recorded?.recording_id}`)).body)
    expect(cast.events.filter(([, kind]) => kind === 'm').map(([, , label]) => label)).toEqual([
      'root@web# mv /srv/index.html /srv/www/index.html',
    ])
  })

  it('is there after the end, for its owner alone', async () => {
    await post('/sandbox/exec', other, { command: 'echo of the other sandbox' })
    await post('/sandbox/stop', session)
    const ended = await report()
    expect(ended).toMatchObject({ status: 'terminated', termination_reason: 'stopped', ended_at: expect.any(String) })
    expect(ended.recordings).toHaveLength(1)
    expect((await lab.call('GET', `/sandbox/${session.id}/report`, undefined, {}, stranger)).status).toBe(404)
  })
})

describe('a link', () => {
  it('shows the report and the recordings to anybody, without the debrief, the session id or the account', async () => {
    const share_secret = await switchOn()
    const shown = await nobody('/shared/report', { share_secret })
    expect(shown.status).toBe(200)
    expect(shown.headers.get('cache-control')).toBe('private, no-store')
    const { debrief: _, ...own } = await report()
    expect(AttemptReport.parse(JSON.parse(shown.text))).toEqual(own)
    for (const word of ['debrief', 'session_id', 'email', 'login', 'account']) expect(shown.text).not.toContain(word)
    const played = await nobody(`/shared/recordings/${own.recordings[0]?.recording_id}`, { share_secret })
    expect(parseCast(played.text).output()).toContain('root@web# mv /srv/index.html')
    expect(played.headers.get('content-disposition')).toMatch(/^attachment;/)
  })

  it('shows no other sandbox, and does nothing but read', async () => {
    const share_secret = await switchOn()
    const [foreign] = (await lab.call('GET', `/sandbox/${other.id}/recordings`)).body.items
    expect((await nobody(`/shared/recordings/${foreign.recording_id}`, { share_secret })).status).toBe(404)
    for (const path of ['/sandbox/exec', '/sandbox/stop', '/sandbox/eval']) {
      expect((await nobody(path, { session_id: share_secret, command: 'true' })).status, path).toBe(401)
    }
    expect((await lab.call('GET', `/sandbox/${other.id}`, undefined, {}, share_secret)).status).toBe(401)
  })

  it('is switched by its owner alone; off, it is gone at once, and on again it is another', async () => {
    const first = await switchOn()
    expect((await share(stranger)).status).toBe(404)
    for (const method of ['GET', 'DELETE']) {
      expect((await lab.call(method, `/sandbox/${session.id}/share`, undefined, {}, stranger)).status, method).toBe(404)
    }
    expect((await nobody('/shared/report', { share_secret: first })).status).toBe(200)
    expect((await lab.call('DELETE', `/sandbox/${session.id}/share`)).body).toEqual({ sandbox_id: session.id, shared_at: null })
    expect((await nobody('/shared/report', { share_secret: first })).status).toBe(404)
    const second = await switchOn()
    const third = await switchOn()
    expect(new Set([first, second, third]).size).toBe(3)
    for (const share_secret of [first, second]) expect((await nobody('/shared/report', { share_secret })).status).toBe(404)
    expect((await nobody('/shared/report', { share_secret: third })).status).toBe(200)
    expect((await lab.call('GET', `/sandbox/${session.id}/share`)).body.shared_at).not.toBeNull()
  })

  it('is told once: a replay of the request does not tell it again', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const { share_url } = ShareCreated.parse((await share(undefined, key)).body)
    const again = await share(undefined, key)
    expect([again.status, again.body.error.code]).toEqual([409, 'idempotency_answer_not_kept'])
    expect(JSON.stringify(again.body)).not.toContain(secretIn(share_url))
  })

  it('is in no log and in no store', async () => {
    const share_secret = await switchOn()
    await nobody('/shared/report', { share_secret })
    await nobody('/shared/report', { share_secret: `${share_secret}x` })
    expect(await lab.inside.store.shares.find(session.id)).not.toBeNull()
    expect(JSON.stringify(await lab.inside.store.shares.find(session.id))).not.toContain(share_secret)
    await expect.poll(() => lab.log()).toContain('/shared/report')
    expect(lab.log()).not.toContain(share_secret)
  })

  it('goes with its account', async () => {
    const { accountId, token } = await createMember(lab.inside, 'Ada')
    const { body } = await lab.call('POST', '/sandbox/start', { course_id: 'scenario-01' }, {}, token)
    const made = await lab.call('POST', `/sandbox/${body.id}/share`, undefined, {}, token)
    const share_secret = secretIn(made.body.share_url)
    expect(JSON.parse((await nobody('/shared/report', { share_secret })).text)).toMatchObject({ name: 'Ada' })
    await lab.inside.store.accounts.remove(accountId, new Date().toISOString())
    expect((await nobody('/shared/report', { share_secret })).status).toBe(404)
    expect(await lab.inside.store.shares.find(body.id)).toBeNull()
  })
})
