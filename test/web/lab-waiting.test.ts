// A lab that has to wait for its place and runs out of time, as its owner sees both in a real browser.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../support/server.ts'
import { desktop, startWebLab, visit, type WebLab } from '../support/web.ts'
import { shows } from '../support/web-terminal.ts'

let lab: WebLab

beforeAll(async () => {
  lab = await startWebLab({ LAB_CAPACITY: '1', LAB_LONGEST_MINUTES: '1' })
})
afterAll(() => lab?.close())

it('shows its position in the queue, opens by itself, warns before its end, and says that its time is over', async () => {
  const call = createClient(lab.url, (await lab.signIn()).token)
  const first = await call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })
  expect(first.status).toBe(200)
  const { cookie } = await lab.signIn()
  await visit(lab, '/courses/scenario-01', { ...desktop, cookie }, async (page) => {
    await page.getByRole('button', { name: 'Start the incident' }).click()
    await page.getByText('Waiting for a place: number 1 in the queue').waitFor()

    await call('POST', '/api/v1/sandbox/stop', { session_id: first.body.session_id })
    await page.waitForURL('**/labs/*')
    await shows(page, '#', '$')
    await page.getByText('The lab ends in less than 1 minute').waitFor()
    await page.getByText('What you saw stays on this page until you leave it.').waitFor()
    expect(await page.locator('.lab-notice').allTextContents()).toEqual([expect.stringMatching(/expired|time/i)])
    await page.getByRole('link', { name: 'Read the report' }).click()
    await page.waitForURL('**/report')
    await page.getByRole('heading', { level: 1 }).waitFor()
  })
})
