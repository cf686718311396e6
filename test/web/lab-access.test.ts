// Entering a lab from a browser without an account: by its terminal_url, as a visitor, and by an invitation. Every visit fails where the
// page breaks its policy, asks another host or logs an error.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SandboxSession } from '../../src/contract/sandbox.ts'
import { problemsOf } from '../support/axe.ts'
import { createClient } from '../support/server.ts'
import { desktop, startWebLab, visit, type WebLab } from '../support/web.ts'
import { runCommand, screenOf, shows, typeInto } from '../support/web-terminal.ts'

let lab: WebLab
let owner: Awaited<ReturnType<WebLab['signIn']>>
let call: ReturnType<typeof createClient>
let session: SandboxSession

beforeAll(async () => {
  lab = await startWebLab({ LAB_LOG_LEVEL: 'trace', LAB_EVALUATION_SPACING_SECONDS: '0' })
  owner = await lab.signIn()
  call = createClient(lab.url, owner.token)
  session = (await call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })).body
})
afterAll(() => lab?.close())

const read = async (): Promise<SandboxSession> => (await call('GET', `/api/v1/sandbox/${session.id}`)).body
const pathIn = (url: string) => url.slice(url.indexOf('/labs/'))
const secretIn = (url: string) => url.split('=').at(-1) ?? ''
/** What was refused is an error in the eyes of the browser's console. */
const refused = { ...desktop, tolerated: /status of 401/ }

/** All that the page sends and keeps, as text. */
const traces = (page: Page) => {
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url(), JSON.stringify(request.headers())))
  return {
    sent,
    kept: () => page.evaluate<string>('JSON.stringify([location.href, { ...localStorage }, document.cookie, document.referrer])'),
  }
}

describe('terminal_url', () => {
  it('opens the lab in a fresh browser, leaves the address at once, works once, and survives a reload', async () => {
    const { terminal_url = '' } = await read()
    const ticket = secretIn(terminal_url)
    await visit(lab, '/status', desktop, async (page) => {
      const { sent, kept } = traces(page)
      await page.goto(terminal_url)
      await runCommand(page, 'echo by-ticket-$((40 + 2))', 'by-ticket-42')
      expect(page.url()).toBe(`${lab.url}/labs/${session.id}`)
      const next = await page.evaluate((id) => sessionStorage.getItem(`lab-ticket ${id}`), session.id)
      expect([next === null, next === ticket]).toEqual([false, false])
      await page.reload()
      await shows(page, 'by-ticket-42')
      await page.getByRole('button', { name: 'Hint', exact: true }).click()
      await page.getByRole('button', { name: /the first hint|the next hint/ }).waitFor()
      await page.getByRole('button', { name: 'more time' }).click()
      await page.getByRole('link', { name: 'Status' }).click()
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.goBack()
      await shows(page, 'by-ticket-42')
      for (const text of [...sent, await kept()]) for (const secret of [ticket, next ?? '']) expect(text).not.toContain(secret)
      expect(lab.server.log()).not.toContain(ticket)
      expect(lab.server.log()).not.toContain(next)
    })
    await visit(lab, pathIn(terminal_url), refused, async (page) => {
      await page.getByText(/opens nothing: it was used before/).waitFor()
      expect(page.url()).not.toContain(ticket)
    })
  })

  it('of somebody who is signed in opens the lab as theirs', async () => {
    const { terminal_url = '' } = await read()
    await visit(lab, pathIn(terminal_url), { ...desktop, cookie: owner.cookie }, async (page) => {
      await runCommand(page, 'echo as-owner-$((40 + 2))', 'as-owner-42')
      await page.getByRole('button', { name: 'Steps', exact: true }).click()
      await page.getByRole('button', { name: 'Give up and read the debrief' }).waitFor()
      expect(page.url()).not.toContain('#')
    })
  })
})

describe('a visitor', () => {
  it('starts without an account, comes back in the same browser, and stops it', () =>
    visit(lab, '/courses/scenario-01', desktop, async (page) => {
      await page.getByText(/No account is needed/).waitFor()
      expect(await problemsOf(page)).toEqual([])
      await page.getByRole('button', { name: 'Start the incident' }).click()
      await page.waitForURL('**/labs/*')
      expect(page.url()).not.toContain('#')
      await runCommand(page, 'echo a-visitor-$((40 + 2))', 'a-visitor-42')
      expect(await page.evaluate('document.cookie')).toBe('')

      // As a new tab of the same browser has it.
      await page.evaluate(() => sessionStorage.clear())
      await page.goto(`${lab.url}/courses/scenario-01`)
      await page.getByRole('link', { name: 'Continue' }).click()
      await shows(page, 'a-visitor-42')
      await page.getByRole('button', { name: 'Stop', exact: true }).click()
      await page.getByRole('button', { name: 'Stop the lab' }).last().click()
      await page.getByText(/What you saw stays on this page/).waitFor()
    }))
})

describe('guests', () => {
  const link = async (page: Page, role: 'watcher' | 'partner') => {
    await page.getByRole('button', { name: `Invite a ${role}` }).click()
    const text = page.locator('.invitations code').filter({ hasText: '#invitation=' })
    await expect.poll(() => text.count()).toBe(role === 'watcher' ? 1 : 2)
    return (await text.nth(role === 'watcher' ? 0 : 1).textContent()) ?? ''
  }

  it('watch and type along, live, and are thrown out', async () => {
    await visit(lab, `/labs/${session.id}`, { ...desktop, cookie: owner.cookie }, async (page) => {
      await runCommand(page, 'clear; echo before-guests-$((40 + 2))', 'before-guests-42')
      await page.getByRole('button', { name: 'People', exact: true }).click()
      const [forWatcher, forPartner] = [await link(page, 'watcher'), await link(page, 'partner')]
      await visit(lab, pathIn(forWatcher), desktop, async (watcher) => {
        await shows(watcher, 'before-guests-42')
        expect(watcher.url()).not.toContain('#')
        await visit(lab, pathIn(forPartner), desktop, async (partner) => {
          await shows(partner, 'before-guests-42')
          await page.getByText('In the lab with you: 1 partner and 1 watcher.').waitFor()
          await runCommand(partner, 'echo from-the-partner-$((40 + 2))', 'from-the-partner-42')
          await Promise.all([shows(page, 'from-the-partner-42'), shows(watcher, 'from-the-partner-42')])
          const here = (guest: Page, name: string) => guest.getByRole('tab', { name: `${name} owner is here`, exact: true }).waitFor()
          await Promise.all([here(watcher, 'ops'), here(partner, 'ops')])
          await page.getByRole('tab', { name: 'web', exact: true }).click()
          await Promise.all([here(watcher, 'web'), here(partner, 'web')])
          expect(await watcher.getByText('owner is here').count()).toBe(1)
          await page.getByRole('tab', { name: 'ops', exact: true }).click()
          await here(watcher, 'ops')
          await runCommand(page, 'echo from-the-owner-$((40 + 2))', 'from-the-owner-42')
          await Promise.all([shows(partner, 'from-the-owner-42'), shows(watcher, 'from-the-owner-42')])
          await typeInto(watcher, 'echo from-the-watcher\n')
          for (const guest of [watcher, partner]) {
            for (const name of ['Grade', 'Hint', 'Stop', 'Hints', 'People'])
              expect(await guest.getByRole('button', { name, exact: true }).count(), name).toBe(0)
            expect(await guest.content()).not.toContain(session.session_id)
            expect(await problemsOf(guest)).toEqual([])
          }
          expect(await problemsOf(page)).toEqual([])
          await watcher.reload()
          await shows(watcher, 'from-the-owner-42')
          expect(await screenOf(watcher)).not.toContain('from-the-watcher')

          await page.getByRole('button', { name: 'End it, and let the watchers go' }).click()
          await watcher.getByRole('heading', { name: 'Your invitation was ended' }).waitFor()
          await page.getByText('In the lab with you: 1 partner and 0 watchers.').waitFor()
          await runCommand(partner, 'echo partner-is-in-$((40 + 2))', 'partner-is-in-42')
          await page.getByRole('button', { name: 'End it, and let the partners go' }).click()
          await partner.getByRole('heading', { name: 'Your invitation was ended' }).waitFor()
          await page.getByText('You are alone in this lab.').waitFor()
          expect(await problemsOf(partner)).toEqual([])
        })
      })
      await visit(lab, pathIn(forWatcher), refused, async (again) => {
        await again.getByText(/opens nothing/).waitFor()
      })
      for (const url of [forWatcher, forPartner]) expect(lab.server.log()).not.toContain(secretIn(url))
    })
  })
})
