// Who reads the debrief, when, and how: after a pass, or after giving up; never before, never through MCP, never somebody else's.

import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Evaluation, EvaluationDetail, GivenUp } from '../../src/contract/evaluation.ts'
import { createMember } from '../support/accounts.ts'
import { type Browser, openBrowser } from '../support/browser.ts'
import { connectAgent, grade } from '../support/mcp.ts'
import { type MortalLab, runLab, smallCatalog, startMortalLab } from '../support/server.ts'

let lab: MortalLab
let debrief: string
let browser: Browser
let stranger: string

beforeAll(async () => {
  debrief = await readFile(join(smallCatalog.LAB_SCENARIOS_DIR, 'scenario-01/debrief.md'), 'utf8')
  lab = await startMortalLab({ ...smallCatalog, LAB_EVALUATION_SPACING_SECONDS: '0', LAB_ACCOUNT_SANDBOXES: '4', LAB_LOG_LEVEL: 'debug' })
  browser = openBrowser(lab.url())
  const link = (await runLab(['signin', '--data', lab.dataDir])).stdout
  expect((await browser.call('POST', '/api/v1/auth/local', { code: /#(\S+)/.exec(link)?.[1] })).status).toBe(200)
  stranger = (await createMember(lab.inside, 'Stranger')).token
})
afterAll(() => lab?.close())

type Session = { session_id: string; id: string }
const start = async (as?: string): Promise<Session> => (await lab.call('POST', '/sandbox/start', { course_id: 'scenario-01' }, {}, as)).body
const post = (path: string, { session_id }: Session, more: object = {}, key?: string, as?: string) =>
  lab.call('POST', path, { session_id, ...more }, key === undefined ? {} : { 'idempotency-key': key }, as)
const repair = (session: Session, as?: string) =>
  post('/sandbox/exec', session, { container: 'web', command: 'mv /srv/index.html /srv/www/index.html' }, undefined, as)
const evaluate = async (session: Session, key?: string) => Evaluation.parse((await post('/sandbox/eval', session, {}, key)).body)
const read = (id: string, as?: string) => lab.call('GET', `/evaluations/${id}`, undefined, {}, as)
const giveUp = ({ session_id }: Session, headers?: Record<string, string>) =>
  browser.call('POST', '/api/v1/sandbox/give-up', { session_id }, headers)

describe('after a pass', () => {
  it('the debrief comes with the evaluation, and not before', async () => {
    const session = await start()
    const failed = await evaluate(session)
    expect(failed).toMatchObject({ passed: false, assisted: false })
    expect(failed.debrief).toBeUndefined()
    expect((await read(failed.evaluation_id)).body).not.toHaveProperty('debrief')
    await repair(session)
    const key = randomUUID()
    const passed = await evaluate(session, key)
    expect(passed).toMatchObject({ passed: true, assisted: false, debrief })
    expect(await evaluate(session, key)).toEqual(passed)
    expect(EvaluationDetail.parse((await read(passed.evaluation_id)).body)).toMatchObject({ id: passed.evaluation_id, debrief })
    expect((await read(failed.evaluation_id)).body, 'of the one that failed').not.toHaveProperty('debrief')
    expect(JSON.stringify((await lab.call('GET', '/evaluations')).body)).not.toContain('debrief')

    expect((await read(passed.evaluation_id, stranger)).status).toBe(404)
    expect((await post('/sandbox/eval', session, {}, key, stranger)).status, 'with the key of another account').toBe(404)
    const given = await giveUp(session)
    expect(GivenUp.parse(given.body)).toMatchObject({ given_up_at: null, debrief })
    expect(await evaluate(session), 'there was nothing to give up').toMatchObject({ assisted: false })
    await post('/sandbox/stop', session)
    expect((await read(passed.evaluation_id)).body.debrief).toBe(debrief)
  })

  it('an agent gets none through MCP, whoever it works for', async () => {
    for (const api_token of [undefined, stranger]) {
      const agent = await connectAgent(lab.url(), { mode: 'legacy', path: '/api/v1/mcp' })
      const who = api_token === undefined ? {} : { api_token }
      const { session_id } = await agent.call('start_drill', { course_id: 'scenario-01', ...who })
      await agent.call('exec_in_sandbox', { session_id, container: 'web', command: 'mv /srv/index.html /srv/www/index.html' })
      const result = await grade(() => agent.result('grade_drill', { session_id, ...who }))
      expect(result).toMatchObject({ passed: true, assisted: false })
      expect(result).not.toHaveProperty('debrief')
      const { tools } = await agent.client.listTools()
      expect(JSON.stringify(tools)).not.toMatch(/debrief":|give_up":/)
      const found = await agent.call('exec_in_sandbox', {
        session_id,
        command: `grep -rls '${debrief.trim().slice(0, 40)}' /etc /srv /root /tmp /var`,
      })
      expect(found.stdout).toBe('')
      await agent.call('stop_drill', { session_id, ...who })
      await agent.close()
    }
  })
})

describe('giving up', () => {
  let session: Session

  it('is for the owner, signed in with a browser, from a page of this service', async () => {
    session = await start()
    expect(await post('/sandbox/give-up', session)).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } })
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' }
    expect(await giveUp(session, foreign)).toMatchObject({ status: 403, body: { error: { code: 'cross_site_request' } } })
    const theirs = await start(stranger)
    expect(await giveUp(theirs)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    await post('/sandbox/stop', theirs, {}, undefined, stranger)
    const batch = { requests: [{ method: 'POST', path: '/sandbox/give-up', body: { session_id: session.session_id } }] }
    expect((await lab.call('POST', '/batch', batch)).body.responses[0].status).toBe(403)
    expect(await evaluate(session)).toMatchObject({ assisted: false })
    expect((await lab.call('GET', `/sandbox/${session.id}`)).body).not.toHaveProperty('given_up_at')
  })

  it('shows the debrief, says so, and marks what is evaluated from then on', async () => {
    const before = await evaluate(session)
    const first = GivenUp.parse((await giveUp(session)).body)
    expect(first).toMatchObject({ sandbox_id: session.id, course_id: 'scenario-01', given_up_at: expect.any(String), debrief })
    expect(GivenUp.parse((await giveUp(session)).body), 'once more').toEqual(first)
    expect((await lab.call('GET', `/sandbox/${session.id}`)).body.given_up_at).toBe(first.given_up_at)
    expect(await evaluate(session)).toMatchObject({ passed: false, assisted: true, debrief })
    expect((await read(before.evaluation_id)).body).toMatchObject({ assisted: false, debrief })
    await repair(session)
    expect(await evaluate(session)).toMatchObject({ passed: true, assisted: true })
    await post('/sandbox/stop', session)
  })

  it('marks later sandboxes of the same course too, without showing it there, and nobody else', async () => {
    const later = await start()
    const evaluation = await evaluate(later)
    expect(evaluation).toMatchObject({ passed: false, assisted: true })
    expect(evaluation.debrief).toBeUndefined()
    await post('/sandbox/stop', later)
    expect(GivenUp.parse((await giveUp(later)).body), 'after its end').toMatchObject({ given_up_at: expect.any(String), debrief })
    const theirs = await start(stranger)
    await repair(theirs, stranger)
    expect((await post('/sandbox/eval', theirs, {}, undefined, stranger)).body).toMatchObject({ passed: true, assisted: false })
    await post('/sandbox/stop', theirs, {}, undefined, stranger)
  })

  it('marks what was graded anonymously before it is assigned to the account', async () => {
    const agent = await connectAgent(lab.url(), { mode: 'legacy', path: '/api/v1/mcp' })
    const { session_id } = await agent.call('start_drill', { course_id: 'scenario-01' })
    const anonymous = await grade(() => agent.result('grade_drill', { session_id }))
    expect(anonymous.assisted).toBe(false)
    await grade(() => agent.result('grade_drill', { session_id, api_token: lab.token }))
    expect((await read(anonymous.evaluation_id)).body).toMatchObject({ assisted: true })
    await agent.call('stop_drill', { session_id, api_token: lab.token })
    await agent.close()
  })

  it('leaves no debrief in the log', () => {
    expect(lab.log()).not.toContain(debrief.trim())
  })
})
