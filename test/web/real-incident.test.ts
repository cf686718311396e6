// The first incident of the catalog, solved in a browser: found, started, looked at, repaired by typing, proven in seven steps, debriefed
// and replayed.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { type Installation, openInstallation } from '../../src/installation.ts'
import { startLab } from '../support/server.ts'
import { desktop, signInTo, visit } from '../support/web.ts'
import { runCommand, shows, typeInto } from '../support/web-terminal.ts'

let lab: Awaited<ReturnType<typeof startLab>>
let inside: Installation

beforeAll(async () => {
  lab = await startLab()
  inside = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
})
afterAll(async () => {
  await inside?.store.close()
  await lab?.close()
})

it('scenario-01 is solved by typing, from the catalog to the replay', async () => {
  const { cookie } = await signInTo(inside)
  await visit(lab, '/', { ...desktop, cookie }, async (page) => {
    await page.getByRole('link', { name: 'Open the ticket' }).click()
    await page.getByRole('button', { name: 'Start the incident' }).click()
    await page.waitForURL('**/labs/*')
    await runCommand(page, 'curl -si http://web/api/sailings | head -1', '502 Bad Gateway')
    await page.getByRole('tab', { name: 'app', exact: true }).click()
    await runCommand(
      page,
      `sed -i 's/^bind = .*/bind = "0.0.0.0:8000"/' /etc/harbourline/gunicorn.conf.py && echo changed-$((40 + 2))`,
      'changed-42',
    )
    await typeInto(page, `kill -HUP $(pgrep -o -f 'gunicorn --config')\n`)
    await runCommand(page, 'until curl -fs -o /dev/null http://web/health; do sleep 0.2; done; echo healthy-$((40 + 2))', 'healthy-42')
    await typeInto(page, '\x1dg')
    await page.getByText(/^Grading: \d of 7 steps are decided/).waitFor()
    await expect.poll(() => page.locator('.strip-status').textContent()).toBe('It is repaired: 100 of 100 points.')
    expect(await page.locator('.strip-held').count()).toBe(7)
    await page.getByRole('button', { name: 'Read the debrief' }).click()
    await page.locator('.side-body').getByText('The release changed one line of').waitFor()
    await page.getByRole('tab', { name: 'ops', exact: true }).click()
    await shows(page, '502 Bad Gateway')
    await page.goto(page.url().replace('/labs/', '/replays/'))
    await expect.poll(() => page.locator('.replay-place').textContent()).toMatch(/\S/)
  })
})
