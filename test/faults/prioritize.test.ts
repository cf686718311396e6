// A sandbox is prioritized while it is graded, and no longer, even if the server is killed meanwhile.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { outputOf, readShare, script } from '../contract/fixture.ts'
import { type MortalLab, smallCatalog, startMortalLab } from '../support/server.ts'

let lab: MortalLab
let session: { id: string; session_id: string }
let usual: number

const share = async () => Number(outputOf(await lab.inside.engine.execDirect({ sandbox: session.id, service: 'ops' }, script(readShare))))
const evaluate = () => lab.call('POST', '/sandbox/eval', { session_id: session.session_id })

beforeAll(async () => {
  lab = await startMortalLab({ ...smallCatalog, LAB_EVALUATION_SPACING_SECONDS: '0' })
  session = (await lab.call('POST', '/sandbox/start', { course_id: 'scenario-01' })).body
  usual = await share()
})
afterAll(() => lab.close())

it('has a larger share of the processors until its verdict is there', async () => {
  const grading = evaluate()
  await expect.poll(share).toBeGreaterThan(usual)
  expect((await grading).status).toBe(200)
  expect(await share()).toBe(usual)
})

it('has it no longer when a server that was killed in the middle is there again', async () => {
  const grading = evaluate().catch(() => undefined)
  await expect.poll(share).toBeGreaterThan(usual)
  await lab.kill()
  await grading
  expect(await share()).toBeGreaterThan(usual)
  await lab.start()
  await expect.poll(share).toBe(usual)
})
