// The pages of the web app in a real browser: found by their address, filtered, read on a phone and in the dark, and started from. Every
// visit fails where the page asks another host, breaks its policy or logs an error.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../support/server.ts'
import { desktop, phone, startWebLab, visit, type WebLab } from '../support/web.ts'

let lab: WebLab

beforeAll(async () => {
  lab = await startWebLab()
})
afterAll(() => lab?.close())

const titlesOf = (page: Page) => page.locator('.card h3').allTextContents()
const results = (page: Page) => page.locator('.result-line [role=status]').textContent()
const queryOf = (page: Page) => new URL(page.url()).search

describe('the catalog', () => {
  it('says what this is, and leads to the first incident with one click', () =>
    visit(lab, '/', desktop, async (page) => {
      expect(await page.title()).toBe('Incident Lab')
      await page.getByRole('heading', { level: 1 }).waitFor()
      const card = page.getByRole('region', { name: 'The site has lost its page' })
      await card.getByRole('link', { name: 'Open the ticket' }).click()
      await page.getByRole('heading', { level: 1, name: 'The site has lost its page' }).waitFor()
      expect(new URL(page.url()).pathname).toBe('/courses/scenario-01')
      expect(await page.title()).toBe('The site has lost its page · Incident Lab')
      await page.goBack()
      await page.getByRole('heading', { level: 1, name: 'Repair real systems' }).waitFor()
    }))

  it('keeps its filters in the address', () =>
    visit(lab, '/', desktop, async (page) => {
      await page.locator('.card').first().waitFor()
      const all = (await titlesOf(page)).length
      expect(all).toBeGreaterThan(10)
      await page.getByRole('button', { name: /^Expert/ }).click()
      await page.getByRole('button', { name: /^Advanced/ }).click()
      expect(queryOf(page)).toBe('?tier=expert&tier=advanced')
      const hard = await titlesOf(page)
      expect(hard.length).toBeLessThan(all)
      expect(await results(page)).toBe(`${hard.length} of ${all} incidents`)
      await page.getByRole('button', { name: /^Foundation/ }).click()
      await page.getByRole('button', { name: /^Pro/ }).click()
      expect(queryOf(page)).toBe('?tier=expert&tier=advanced&kind=foundation&access=pro')
      expect((await titlesOf(page)).length).toBe(1)
      await page.reload()
      await page.locator('.card').first().waitFor()
      expect((await titlesOf(page)).length).toBe(1)
      expect(await page.getByRole('button', { name: /^Expert/ }).getAttribute('aria-pressed')).toBe('true')
      await page.getByRole('button', { name: 'Clear the filters' }).click()
      expect([queryOf(page), (await titlesOf(page)).length]).toEqual(['', all])
    }))

  it('is searched with a key, and says when nothing fits', () =>
    visit(lab, '/?domain=database', desktop, async (page) => {
      await page.locator('.card').first().waitFor()
      expect(await page.getByRole('button', { name: /^Database/ }).getAttribute('aria-pressed')).toBe('true')
      await page.keyboard.press('/')
      await page.keyboard.type('redis')
      expect(queryOf(page)).toBe('?q=redis&domain=database')
      expect(await titlesOf(page)).toEqual(['The master is gone and nobody takes over'])
      await page.keyboard.type(' nothing has this')
      await page.getByText('No incident fits these filters.').waitFor()
      await page.keyboard.press('Escape')
      expect(queryOf(page)).toBe('?domain=database')
      await page.locator('.card').first().waitFor()
    }))

  it('marks what the reader has solved, and offers the next one', async () => {
    const { token, cookie } = await lab.signIn()
    const call = createClient(lab.url, token)
    const { session_id } = (await call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })).body
    await call('POST', '/api/v1/sandbox/eval', { session_id })
    const command = 'mv /srv/index.html /srv/www/index.html'
    await call('POST', '/api/v1/sandbox/exec', { session_id, container: 'web', command })
    await expect.poll(async () => (await call('POST', '/api/v1/sandbox/eval', { session_id })).body.passed).toBe(true)
    await visit(lab, '/', { ...desktop, cookie }, async (page) => {
      const card = page.locator('.card', { hasText: 'The site has lost its page' })
      await card.getByText(/^Solved, /).waitFor()
      expect(await page.locator('.card .solved').count()).toBe(1)
      expect(await page.locator('.start-here .eyebrow').textContent()).toBe('Next for you')
      expect(await page.locator('.start-here h2').textContent()).not.toBe('The site has lost its page')
      const all = (await titlesOf(page)).length
      await page.getByRole('button', { name: /^Not solved yet/ }).click()
      expect([queryOf(page), (await titlesOf(page)).length]).toEqual(['?unsolved=1', all - 1])
    })
  })

  it('says what happened when the server does not answer, and tries again', () =>
    visit(lab, '/status', desktop, async (page) => {
      await page.route('**/api/v1/courses*', (route) => route.fulfill({ status: 503, json: { error: away } }))
      await page.getByRole('link', { name: 'Incidents' }).click()
      await page.getByText('The container engine does not answer.').waitFor()
      await page.unroute('**/api/v1/courses*')
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.locator('.card').first().waitFor()
    }).catch((error: Error) => {
      // The browser itself reports the answer that the test made.
      if (!/^the browser complained: Failed to load resource: .*503[^;]*$/.test(error.message)) throw error
    }))
})

/** As the API would answer. */
const away = { code: 'engine_unavailable', message: 'the container engine does not answer', request_id: '0' }

describe('a course', () => {
  it('shows ticket, machines, facts and the seven steps at its own address', () =>
    visit(lab, '/courses/scenario-04', desktop, async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Every third order hangs' }).waitFor()
      const ticket = page.getByRole('article', { name: 'Ticket' })
      expect(await ticket.textContent()).toContain('About a third of all requests wait')
      expect(await ticket.getByRole('heading', { name: 'What must not happen' }).count()).toBe(1)
      expect(await page.locator('.topo-name').allTextContents()).toEqual(['ops', 'lb', 'app1', 'app2', 'app3', 'db'])
      expect(await page.locator('.topo-port').allTextContents()).toEqual(['80', '8000', '8000', '8000', '5432'])
      expect(await page.getByText(/^network (edge|data)$/).count()).toBe(2)
      expect(await page.locator('.steps li').count()).toBe(7)
      const panel = page.getByRole('region', { name: 'Start' })
      await panel.getByRole('button', { name: 'Start the incident' }).waitFor()
      expect(await panel.getByRole('link', { name: 'sign in', exact: true }).getAttribute('href')).toBe(
        '/signin?return_to=%2Fcourses%2Fscenario-04',
      )
      await panel.getByText(/places free/).waitFor()
    }))

  it('that does not exist is a page of its own', () =>
    visit(lab, '/courses/nothing', desktop, async (page) => {
      await page.getByRole('heading', { name: 'There is no page at this address' }).waitFor()
    }))

  it('takes the texts of an author for text, everywhere', () =>
    visit(lab, '/courses/markup-01', desktop, async (page) => {
      await page.getByRole('article', { name: 'Ticket' }).waitFor()
      expect(await page.locator('h1').textContent()).toContain('<img src=x onerror=')
      expect(await page.locator('.prose').textContent()).toContain('<script>document.title=')
      expect(await page.locator('main img, main script, main a[href^="javascript:"]').count()).toBe(0)
      await page.goto(`${lab.url}/?q=markup`)
      await page.locator('.card').waitFor()
      expect(await page.locator('.card').textContent()).toContain('<img src=x onerror=')
      expect(await page.locator('main img, main script').count()).toBe(0)
      expect(await page.title()).toBe('Incident Lab')
    }))

  it('is started by somebody who is signed in, and found again', async () => {
    const { cookie } = await lab.signIn('<b>Eve</b>')
    await visit(lab, '/courses/scenario-01', { ...desktop, cookie }, async (page) => {
      await page.getByText('<b>Eve</b>').waitFor()
      await page.getByRole('button', { name: 'Start the incident' }).click()
      await page.getByText('Building the machines').waitFor()
      await page.waitForURL('**/labs/*')
      await page.getByText('It runs, and it is broken.').waitFor()
      await page.getByRole('heading', { level: 1, name: 'The site has lost its page' }).waitFor()
      await page.getByText('Other ways in').click()
      await page.getByText('/api/v1/sandbox/exec').waitFor()
      expect(await page.getByText('./lab drill').count()).toBe(0) // which is the operator's
      const here = new URL(page.url()).pathname
      await page.goto(`${lab.url}/courses/scenario-01`)
      const panel = page.getByRole('region', { name: 'Start' })
      await panel.getByText(/You have this lab open, with \d+ minutes left/).waitFor()
      expect(await panel.getByRole('link', { name: 'Continue' }).getAttribute('href')).toBe(here)
      await page.getByRole('link', { name: '1 lab open' }).click()
      await page.getByText('It runs, and it is broken.').waitFor()
    })
  })
})

describe('the other pages', () => {
  it('the glossary is searched, and has an address for each term', () =>
    visit(lab, '/glossary#oom-killer', desktop, async (page) => {
      const term = page.locator('#oom-killer')
      await term.waitFor()
      await expect.poll(() => page.evaluate("document.getElementById('oom-killer').getBoundingClientRect().top < innerHeight")).toBe(true)
      expect(await term.getAttribute('class')).toContain('term-target')
      await page.keyboard.press('/')
      await page.keyboard.type('oom')
      expect(queryOf(page)).toBe('?q=oom')
      expect(await page.locator('.term-link').first().textContent()).toMatch(/oom/i)
      await page.locator('.see-also a').first().click()
      await expect.poll(() => page.locator('.term-target').count()).toBe(1)
    }))

  it('status tells capacity, queue and health', () =>
    visit(lab, '/status', desktop, async (page) => {
      await page.getByText('Everything answers.').waitFor()
      expect(await page.locator('.figures').first().locator('.figure').count()).toBe(4)
      expect(await page.locator('.self-checks .check-held').count()).toBe(4)
      await page.getByRole('heading', { name: 'How long a start takes' }).waitFor()
    }))

  it("connect gives configurations with the reader's own address, to copy", () =>
    visit(lab, '/connect', { ...desktop, permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      const client = page.getByRole('region', { name: 'VS Code' })
      await client.getByRole('button').click()
      await client.getByText('Copied').waitFor()
      const copied = JSON.parse((await page.evaluate('navigator.clipboard.readText()')) as string)
      expect(copied).toEqual({ servers: { 'incident-lab': { type: 'http', url: `${lab.url}/api/v1/mcp` } } })
      await page.getByLabel('Act for my account').check()
      expect(await client.locator('code').textContent()).toContain('Bearer ilab_pat_...')
    }))

  it('an address that means nothing leads back', () =>
    visit(lab, '/no/such/page', desktop, async (page) => {
      await page.getByRole('link', { name: 'All incidents' }).click()
      await page.locator('.card').first().waitFor()
    }))
})

describe('keys and focus', () => {
  it('? shows the keys, which can be switched off', () =>
    visit(lab, '/', desktop, async (page) => {
      await page.locator('.card').first().waitFor()
      await page.keyboard.press('?')
      const window = page.getByRole('dialog', { name: 'Keys' })
      await window.waitFor()
      await window.getByRole('checkbox').uncheck()
      await page.keyboard.press('Escape')
      await window.waitFor({ state: 'hidden' })
      await page.keyboard.press('/')
      expect(await page.evaluate('document.activeElement?.tagName')).not.toBe('INPUT')
      await page.reload()
      await page.locator('.card').first().waitFor()
      await page.keyboard.press('?')
      expect(await window.isVisible()).toBe(false)
    }))

  it('the first Tab skips to the content, and a new page has the focus', () =>
    visit(lab, '/', desktop, async (page) => {
      await page.locator('.card').first().waitFor()
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement?.textContent')).toBe('Skip to the content')
      await page.getByRole('link', { name: 'Glossary' }).click()
      await page.getByRole('heading', { name: 'Glossary' }).waitFor()
      expect(await page.evaluate('document.activeElement?.id')).toBe('main')
    }))
})

describe('the look', () => {
  const backOf = (page: Page) => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
  const [light, dark] = ['rgb(246, 248, 250)', 'rgb(15, 20, 25)']

  it('follows the system, until the reader chooses', () =>
    visit(lab, '/status', { ...desktop, colorScheme: 'dark' }, async (page) => {
      expect(await backOf(page)).toBe(dark)
      await page.getByRole('button', { name: 'Theme: as the system has it' }).click()
      expect(await backOf(page)).toBe(light)
      await page.reload()
      expect(await backOf(page)).toBe(light)
      await page.getByRole('button', { name: 'Theme: light' }).click()
      await page.emulateMedia({ colorScheme: 'light' })
      expect(await backOf(page)).toBe(dark)
      await page.getByRole('button', { name: 'Theme: dark' }).click()
      expect(await backOf(page)).toBe(light)
    }))

  it('fits on a phone, on every page', () =>
    visit(lab, '/', phone, async (page) => {
      const courses = ['scenario-04', 'scenario-11', 'markup-01'].map((id) => `/courses/${id}`)
      for (const path of ['/', ...courses, '/glossary', '/status', '/connect', '/labs/nothing', '/nothing']) {
        await page.goto(`${lab.url}${path}`)
        await page.waitForLoadState('networkidle')
        await page.locator('h1').waitFor()
        expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 360])
      }
    }))

  it('moves nothing for those who do not want it', () =>
    visit(lab, '/', { ...desktop, reducedMotion: 'reduce' }, async (page) => {
      await page.locator('.chip').first().waitFor()
      const styles = await page.evaluate("getComputedStyle(document.querySelector('.chip')).transitionProperty")
      expect(styles).toBe('none')
    }))
})
