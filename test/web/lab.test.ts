// The page of a lab in a real browser: its terminals, its grading and its end. Every visit fails where the page breaks its policy, asks
// another host or logs an error.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SandboxSession } from '../../src/contract/sandbox.ts'
import { problemsOf } from '../support/axe.ts'
import { createClient } from '../support/server.ts'
import { solutionIn } from '../support/solve.ts'
import { desktop, phone, startWebLab, visit, type WebLab } from '../support/web.ts'
import { runCommand, screenOf, shows, typeInto } from '../support/web-terminal.ts'

let lab: WebLab

beforeAll(async () => {
  lab = await startWebLab({ LAB_EVALUATION_SPACING_SECONDS: '0', LAB_GRACE_MINUTES: '5' })
})
afterAll(() => lab?.close())

const tokens: string[] = []

/** Places for sandboxes are few. */
afterEach(async () => {
  for (const token of tokens.splice(0)) {
    const call = createClient(lab.url, token)
    for (const { session_id } of (await call('GET', '/api/v1/sandbox')).body.items)
      await call('POST', '/api/v1/sandbox/stop', { session_id })
  }
})

const signIn = async () => {
  const signedIn = await lab.signIn()
  tokens.push(signedIn.token)
  return signedIn
}

/** A sandbox of a new account, and the way to its page. */
const startForSomebody = async () => {
  const { token, cookie } = await signIn()
  const call = createClient(lab.url, token)
  const { status, body } = await call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })
  expect(status).toBe(200)
  const session: SandboxSession = body
  const read = async (): Promise<SandboxSession> => (await call('GET', `/api/v1/sandbox/${session.id}`)).body
  return { session, path: `/labs/${session.id}`, signedIn: { ...desktop, cookie }, read }
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })
const held = (page: Page) => page.locator('.strip-held').count()
const status = (page: Page) => page.locator('.strip-status').textContent()

describe('a terminal', () => {
  it('is there after the start, one for each machine, and found again after a reload', async () => {
    const { cookie } = await signIn()
    await visit(lab, '/courses/scenario-01', { ...desktop, cookie }, async (page) => {
      await page.getByRole('button', { name: 'Start the incident' }).click()
      await page.waitForURL('**/labs/*')
      await runCommand(page, 'echo seen-on-ops-$((40 + 2))', 'seen-on-ops-42')
      await tab(page, 'web').click()
      await runCommand(page, 'echo seen-on-$(hostname)', 'seen-on-web')
      await tab(page, 'ops').click()
      await shows(page, 'seen-on-ops-42')

      await page.reload()
      await shows(page, 'seen-on-ops-42')
      await typeInto(page, '\x1dc')
      await shows(page, 'seen-on-web')
      expect(await tab(page, 'web').getAttribute('aria-selected')).toBe('true')
      expect(await screenOf(page)).not.toContain('This is a new one')

      await page.getByRole('link', { name: 'Glossary' }).click()
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.goBack()
      await shows(page, 'seen-on-ops-42')
    })
  })

  it('shows what a program prints as text, in its own colours, and as wide as the window', async () => {
    const { path, signedIn } = await startForSomebody()
    await visit(lab, path, signedIn, async (page) => {
      await runCommand(page, "printf '\\033[38;2;10;90;160mof-its-own\\033[0m <img src=x onerror=alert(1)>\\n'", 'of-its-own <img src=x')
      const colours = "[...document.querySelectorAll('.xterm-rows span')].map((span) => [span.textContent, getComputedStyle(span).color])"
      await expect.poll(() => page.evaluate(colours)).toContainEqual(['of-its-own', 'rgb(10, 90, 160)'])
      expect(await page.locator('.xterm img').count()).toBe(0)
      const columns = async () => {
        await typeInto(page, 'clear; echo "columns=$(stty size | cut -d" " -f2)."\n')
        await expect.poll(() => screenOf(page)).toMatch(/columns=\d+\./)
        return Number(/columns=(\d+)\./.exec(await screenOf(page))?.[1])
      }
      const wide = await columns()
      await page.setViewportSize({ width: 1000, height: 700 })
      await expect.poll(columns).toBeLessThan(wide)
    })
  })

  it('is searched, and its letters are made larger', async () => {
    const { path, signedIn } = await startForSomebody()
    await visit(lab, path, signedIn, async (page) => {
      await runCommand(page, 'echo needle-$((1 + 1)); seq 200; echo end-$((1 + 1))', 'end-2')
      expect(await screenOf(page)).not.toContain('needle-2')
      await typeInto(page, '\x1df')
      await page.getByLabel('Find in this terminal', { exact: true }).fill('needle-2')
      await shows(page, 'needle-2')
      await page.keyboard.press('Escape')
      const size = () => page.evaluate<number>("parseFloat(getComputedStyle(document.querySelector('.xterm-rows')).fontSize)")
      const before = await size()
      await page.getByRole('button', { name: 'Larger letters' }).click()
      await expect.poll(size).toBeGreaterThan(before)
    })
  })

  it('comes back after a restart of its machine, which asks first', async () => {
    const { path, signedIn } = await startForSomebody()
    await visit(lab, path, signedIn, async (page) => {
      await tab(page, 'web').click()
      await runCommand(page, 'echo before-$((1 + 1))', 'before-2')
      await page.getByRole('button', { name: 'Restart web' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Restart web' }).click()
      await shows(page, 'This is a new one')
      await runCommand(page, 'echo after-$((1 + 1))', 'after-2')
      expect(await screenOf(page)).toContain('before-2')
    })
  })
})

describe('two terminals', () => {
  it('are beside each other, each with its machine and its keys, and close again', async () => {
    const { path, signedIn } = await startForSomebody()
    await visit(lab, path, signedIn, async (page) => {
      await runCommand(page, 'echo on-$(hostname)-$((1 + 1))', 'on-ops-2')
      await typeInto(page, '\x1d|')
      await expect.poll(() => page.locator('.terminal-pane:not([hidden])').count()).toBe(2)
      const pane = (name: string) => page.locator(`#pane-${name} .xterm-rows`)
      await expect.poll(() => pane('web').textContent()).toMatch(/[#$]/)
      await page.keyboard.press('Control+]')
      await page.keyboard.press('o')
      await expect.poll(() => tab(page, 'web').getAttribute('aria-selected')).toBe('true')
      await page.keyboard.type('echo on-$(hostname)-$((2 + 1))')
      await page.keyboard.press('Enter')
      await expect.poll(() => pane('web').textContent()).toContain('on-web-3')
      expect(await pane('ops').textContent()).not.toContain('on-web-3')
      await page.getByRole('button', { name: /Close the second terminal/ }).click()
      await expect.poll(() => page.locator('.terminal-pane:not([hidden])').count()).toBe(1)

      await page.getByRole('button', { name: 'Brief', exact: true }).click()
      await page.getByRole('button', { name: 'Open the terminal of ops' }).click()
      expect(await tab(page, 'ops').getAttribute('aria-selected')).toBe('true')
      const width = () => page.evaluate<number>("document.querySelector('.lab-side').offsetWidth")
      const before = await width()
      await page.getByRole('separator', { name: /Width of this side/ }).press('ArrowLeft')
      await expect.poll(width).toBeLessThan(before)
    })
  })
})

describe('a lab', () => {
  it('is solved by typing, graded step by step, debriefed and stopped', async () => {
    const { path, signedIn, read } = await startForSomebody()
    await visit(lab, path, signedIn, async (page) => {
      await page.getByText('It runs, and it is broken.').waitFor()
      await page.getByRole('button', { name: 'Grade' }).click()
      await page.getByText(/^Not repaired yet: \d+ of 100 points/).waitFor()
      expect(await page.locator('.strip-failed').count()).toBeGreaterThan(0)
      expect(await page.locator('.strip-failed .strip-word').first().textContent()).toMatch(/^failed: ./)
      expect(await page.locator('.result-failed .step-output').first().textContent()).not.toBe('')

      for (const { in: machine, run } of await solutionIn('test/catalog')) {
        await tab(page, machine).click()
        await runCommand(page, `${run} && echo done-$((1 + 1))`, 'done-2')
      }
      await typeInto(page, '\x1dg')
      await page.getByText(/^Grading: \d of 7 steps are decided/).waitFor()
      await expect.poll(() => held(page)).toBe(7)
      await expect.poll(() => status(page)).toBe('It is repaired: 100 of 100 points.')
      await page.getByText(/ends in less than 5 minutes/).waitFor()

      await page.getByRole('button', { name: 'Read the debrief' }).click()
      await page.locator('.side-body').getByText('The page had been moved to /srv.').waitFor()
      await page.reload()
      await expect.poll(() => held(page)).toBe(7)

      await page.getByRole('button', { name: 'Stop', exact: true }).click()
      await page.getByRole('button', { name: 'No, go back' }).click()
      expect((await read()).status).toBe('completed')
      await runCommand(page, 'echo still-$((1 + 1))', 'still-2')
      await typeInto(page, '\x1ds')
      await page.getByRole('button', { name: 'Stop the lab' }).last().click()
      await page.getByText(/^The sandbox has ended: .*What you saw stays/).waitFor()
      expect(await screenOf(page)).toContain('still-2')
      expect((await read()).status).toBe('terminated')
    })
  })

  it('gives hints, says when none fits the present state, gives more time, and its debrief to whoever gives up', async () => {
    const { path, signedIn, session, read } = await startForSomebody()
    await visit(lab, path, signedIn, async (page) => {
      await shows(page, '$', '#')
      await typeInto(page, '\x1dh')
      await page.getByText('The site answers, and has nothing to answer with.').waitFor()
      await page.getByRole('button', { name: 'Show the next hint' }).click()
      await page.getByText('Its configuration names the file').waitFor()
      await page.reload()
      await page.getByRole('button', { name: 'Hints', exact: true }).click()
      expect(await page.locator('.hints li').count()).toBe(2)
      await page.getByText('1 hint left, for a certain state of the system only').waitFor()
      await tab(page, 'web').click()
      await runCommand(page, 'cp /srv/index.html /srv/www/index.html && echo placed-$((1 + 1))', 'placed-2')
      await page.getByRole('button', { name: 'Show the next hint' }).click()
      await page.getByText(/^The one hint that is left does not fit the present state of the sandbox\. What it would help with/).waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
      await runCommand(page, 'rm /srv/www/index.html && echo removed-$((1 + 1))', 'removed-2')
      await page.getByRole('button', { name: 'Show the next hint' }).click()
      await page.getByText('That was the last one.').waitFor()

      await page
        .getByRole('button', { name: /more time/ })
        .first()
        .click()
      await expect.poll(async () => Date.parse((await read()).expires_at)).toBeGreaterThan(Date.parse(session.expires_at))

      await page.getByRole('button', { name: 'Steps', exact: true }).click()
      await page.getByRole('button', { name: 'Give up and read the debrief' }).click()
      await page.getByRole('button', { name: 'No, go back' }).click()
      expect((await read()).given_up_at).toBeUndefined()
      await page.getByRole('button', { name: 'Give up and read the debrief' }).click()
      await page.getByRole('button', { name: 'Give up and read it' }).click()
      await page.locator('.side-body .prose').waitFor()
      expect((await read()).given_up_at).toBeDefined()
    })
  })

  it('says on a phone that a terminal wants a bigger screen, and works all the same', async () => {
    const { path, signedIn } = await startForSomebody()
    await visit(lab, path, { ...signedIn, ...phone, hasTouch: true, isMobile: true }, async (page) => {
      await page.getByText('A terminal wants a bigger screen.').waitFor()
      await runCommand(page, 'echo on-a-phone-$((1 + 1))', 'on-a-phone-2')
      await typeInto(page, 'sleep 1000\n')
      await page.getByRole('button', { name: 'Ctrl-C', exact: true }).tap()
      await runCommand(page, 'echo again-$((1 + 1))', 'again-2')
      await page.getByRole('button', { name: 'Up', exact: true }).tap()
      await typeInto(page, '1\n')
      await shows(page, 'again-21')
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    })
  })

  it('has nothing that axe-core finds, in the light, in the dark and on a phone', async () => {
    const { path, signedIn } = await startForSomebody()
    const found: string[] = []
    await visit(lab, path, { ...signedIn, ...desktop }, async (page) => {
      await runCommand(page, "printf '\\033[31mred \\033[32mgreen \\033[33myellow \\033[90mgrey\\033[0m end-%s\\n' $((1 + 1))", 'end-2')
      for (const side of ['Brief', 'Hints', 'Steps']) {
        await page.getByRole('button', { name: side, exact: true }).click()
        found.push(...(await problemsOf(page)))
      }
      await page.getByRole('button', { name: 'Stop', exact: true }).click()
      found.push(...(await problemsOf(page)))
    })
    expect(found).toEqual([])
  })
})
