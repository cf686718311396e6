// A complete drill over REST: hints, repair, grading; and evaluations that are refused.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CourseDetail, CourseList } from '../../src/contract/course.ts'
import { Evaluation, EvaluationList, Hint, stepNames } from '../../src/contract/evaluation.ts'
import { SandboxSession } from '../../src/contract/sandbox.ts'
import { type Lab, startLab } from '../support/server.ts'

let lab: Lab
let session: SandboxSession

beforeAll(async () => {
  lab = await startLab({ LAB_EVALUATION_SPACING_SECONDS: '0' })
})
afterAll(() => lab.close())

const exec = async (command: string, container?: string) => {
  const body = { session_id: session.session_id, command, ...(container === undefined ? {} : { container }) }
  const answer = await lab.call('POST', '/api/v1/sandbox/exec', body)
  expect(answer.status).toBe(200)
  return answer.body as { stdout: string; exit_code: number }
}

const evaluate = () => lab.call('POST', '/api/v1/sandbox/eval', { session_id: session.session_id })

describe('the catalog over REST', () => {
  it('lists courses', async () => {
    const { status, body } = await lab.call('GET', '/api/v1/courses?tier=beginner&limit=1')
    expect(status).toBe(200)
    expect(CourseList.parse(body).items[0]?.tier).toBe('beginner')
  })

  it('shows symptom, topology and checkpoints of a course, and neither cause nor cure', async () => {
    const { status, body } = await lab.call('GET', '/api/v1/courses/scenario-01')
    expect(status).toBe(200)
    expect(CourseDetail.parse(body).checkpoints).toEqual(stepNames)
    const text = JSON.stringify(body)
    for (const secret of ['gunicorn.conf.py', 'upstreams.sh', 'deploy.sh', 'must_run', 'solutions', 'SIGHUP'])
      expect(text).not.toContain(secret)
  })

  it('refuses a cursor of another list, a limit out of range and an unknown tier', async () => {
    for (const query of ['cursor=eyJhZnRlciI6MX0', 'limit=101', 'limit=0', 'tier=hard']) {
      expect((await lab.call('GET', `/api/v1/courses?${query}`)).status).toBe(400)
    }
  })
})

describe('a drill', () => {
  it('starts broken', async () => {
    const answer = await lab.call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })
    expect(answer.status).toBe(200)
    session = SandboxSession.parse(answer.body)
    expect((await exec('curl -s -o /dev/null -w "%{http_code}" http://web/api/sailings')).stdout).toBe('502')
  })

  it('fails while nothing is repaired, at the steps that the fault breaks; and is not graded twice at the same time', async () => {
    const answers = await Promise.all([evaluate(), evaluate()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429])
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.body.error.code).toBe('evaluation_too_soon')
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    const result = Evaluation.parse(answers.find(({ status }) => status === 200)?.body)
    expect(result.checkpoints.map(({ name }) => name)).toEqual(stepNames)
    const failed = result.checkpoints.filter(({ passed }) => !passed).map(({ name }) => name)
    expect(failed).toEqual(['service_recovered', 'root_cause_removed', 'survives_restart', 'stable_under_load'])
    expect(result).toMatchObject({ passed: false, score: 40, evaluations_left: 19 })
    expect(result.checkpoints.at(-1)?.output).toBe('not attempted')
  })

  it('gives hints, general ones first, until there are none', async () => {
    const hints: Hint[] = []
    for (;;) {
      const answer = await lab.call('POST', '/api/v1/sandbox/hint', { session_id: session.session_id })
      if (answer.status === 404) break
      hints.push(Hint.parse(answer.body))
    }
    expect(hints.map(({ level }) => level)).toEqual([1, 2, 3])
    expect(hints.at(-1)?.hints_left).toBe(0)
  })

  it('passes once repaired, lives on as completed, and the evaluation is kept', async () => {
    const repair = `sed -i 's/^bind = .*/bind = "0.0.0.0:8000"/' /etc/harbourline/gunicorn.conf.py && kill -HUP $(pgrep -o -f 'gunicorn --config')`
    await exec(repair, 'app')
    expect((await exec('for i in $(seq 50); do curl -fs http://web/health && exit 0; sleep 0.2; done; exit 1')).exit_code).toBe(0)
    await exec('setsid sleep 4321 > /dev/null 2>&1 < /dev/null &')
    expect((await exec('pgrep -f "sleep 432[1]"')).exit_code).toBe(0)
    const restarted = await lab.call('POST', '/api/v1/sandbox/restart', { session_id: session.session_id, container: 'app' })
    expect(restarted.status).toBe(200) // and graded at once, before its programs have started
    const result = Evaluation.parse((await evaluate()).body)
    expect(result.checkpoints.filter(({ passed }) => !passed)).toEqual([])
    expect(result).toMatchObject({ passed: true, score: 100, hints_used: 3, evaluations_used: 2 })
    const read = await lab.call('GET', `/api/v1/sandbox/${session.id}`)
    expect(SandboxSession.parse(read.body)).toMatchObject({ status: 'completed', evaluations_left: 18, expires_at: result.expires_at })
    expect((await exec('echo still here')).stdout).toBe('still here\n')
    expect((await exec('pgrep -f "sleep 432[1]"')).exit_code, 'nothing that was left running holds up a repair').toBe(1)
    const { items } = EvaluationList.parse((await lab.call('GET', '/api/v1/evaluations')).body)
    expect(items.map(({ passed, score, hints_used }) => ({ passed, score, hints_used }))).toEqual([
      { passed: true, score: 100, hints_used: 3 },
      { passed: false, score: 40, hints_used: 0 },
    ])
  })

  it('says the same end of life as the sandbox, also when it was extended after a pass', async () => {
    const extended = await lab.call('POST', '/api/v1/sandbox/extend', { session_id: session.session_id })
    const { expires_at } = Evaluation.parse((await evaluate()).body)
    expect(expires_at).toBe(extended.body.expires_at)
    expect((await lab.call('GET', `/api/v1/sandbox/${session.id}`)).body.expires_at).toBe(expires_at)
  })

  it('cannot be graded once stopped, also when that happens while it is graded', async () => {
    const grading = evaluate()
    await expect.poll(async () => (await evaluate()).status, { interval: 20 }).toBe(429)
    await lab.call('POST', '/api/v1/sandbox/stop', { session_id: session.session_id })
    expect(await grading).toMatchObject({ status: 409, body: { error: { code: 'sandbox_not_running' } } })
    expect(await evaluate()).toMatchObject({ status: 409, body: { error: { code: 'sandbox_not_running' } } })
  })
})
