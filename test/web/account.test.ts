// The pages of an account in a real browser: signing in at a provider and by a link, tokens, browser sessions, history, deletion.
// Names that come from others are text.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { problemsOf } from '../support/axe.ts'
import { inChromium } from '../support/chromium.ts'
import { type IdentityProvider, type Person, providerSettings, startIdentityProvider } from '../support/identity-provider.ts'
import { createClient, inDatabase, runLab } from '../support/server.ts'
import { attack, desktop, openSession, phone, startWebLab, visit, type WebLab } from '../support/web.ts'

const people = new Map<string, Person>([['eve', { id: 7, name: `Eve ${attack}`, email: 'eve@example.org', isEmailVerified: true }]])

let lab: WebLab
let providers: IdentityProvider[]

beforeAll(async () => {
  providers = [await startIdentityProvider(people), await startIdentityProvider(people)]
  const [github, google] = providers as [IdentityProvider, IdentityProvider]
  lab = await startWebLab({ ...providerSettings(github, google), LAB_EVALUATION_SPACING_SECONDS: '0' })
  github.serve([`${lab.url}/api/v1/auth/github/callback`])
  google.serve([`${lab.url}/api/v1/auth/google/callback`])
})
afterAll(async () => {
  await lab?.close()
  await Promise.all((providers ?? []).map((provider) => provider.close()))
})

const me = async (cookie: string) => fetch(`${lab.url}/api/v1/auth/me`, { headers: { cookie: `lab_session=${cookie}` } })
const statusFor = async (token: string) =>
  (await fetch(`${lab.url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${token}` } })).status
/** What a page took for markup would have done. */
const expectText = async (page: Page) => {
  expect(await page.title()).not.toContain('broken into')
  expect(await page.locator('main img, main script, header img').count()).toBe(0)
}
/** Nothing of another host than the service and its provider, which has a font of somebody else. */
const offline = (page: Page) =>
  page.context().route(
    (url) => !['localhost', '127.0.0.1'].includes(url.hostname),
    (route) => route.abort(),
  )

describe('signing in', () => {
  it('leads over the provider and back, as somebody whose name is text', () =>
    inChromium(`${lab.url}/me`, desktop, async ({ page }) => {
      await offline(page)
      await page.locator('main').getByRole('link', { name: 'Sign in' }).click()
      await page.getByText('Afterwards you come back to /me.').waitFor()
      await page
        .getByRole('link', { name: /^Sign in with/ })
        .first()
        .waitFor()
      expect(await page.getByRole('link', { name: /^Sign in with/ }).allTextContents()).toEqual([
        'Sign in with GitHub',
        'Sign in with Google',
      ])
      await page.getByRole('link', { name: 'Sign in with GitHub' }).click()
      await page.locator('input[name=login]').fill('eve')
      await page.locator('input[name=password]').fill('any')
      await page.locator('button[type=submit]').click()
      await page.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' })
      await page.locator('button[type=submit]').click()
      await page.waitForURL(`${lab.url}/me`)
      await page.getByText('eve@example.org').waitFor()
      expect(await page.locator('.facts').first().textContent()).toContain(`Eve ${attack}`.slice(0, 60))
      expect(await page.locator('.account-name').textContent()).toContain('<img src=x')
      await expectText(page)
    }))

  it('that was cancelled at the provider says so, and leads back to the ways', () =>
    inChromium(`${lab.url}/signin`, desktop, async ({ page }) => {
      await offline(page)
      await page.getByRole('link', { name: 'Sign in with Google' }).click()
      await page.getByRole('link', { name: /cancel/i }).click()
      await page.getByText('the sign-in was cancelled at').waitFor()
      await page.getByRole('link', { name: 'Ways to sign in' }).click()
      await page.getByRole('link', { name: 'Sign in with Google' }).waitFor()
    }))

  it('by the link of the operator takes a press of the button; keys open the menu and sign out', async () => {
    const link = /http\S+/.exec((await runLab(['signin', '--data', lab.dataDir])).stdout)?.[0] as string
    await visit(lab, new URL(link).pathname + new URL(link).hash, desktop, async (page) => {
      const button = page.getByRole('button', { name: 'Sign in as the operator' })
      await button.waitFor()
      expect(page.url()).toBe(`${lab.url}/signin`)
      await button.click()
      await page.waitForURL(`${lab.url}/`)
      const menu = page.getByRole('button', { name: 'Operator' })
      await menu.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'Your account' }).waitFor()
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Your account')
      await page.keyboard.press('Escape')
      expect([await menu.getAttribute('aria-expanded'), await page.evaluate('document.activeElement.className')]).toEqual([
        'false',
        'menu-button',
      ])
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Sign out' }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor()
    })
  })
})

describe('tokens', () => {
  it('are shown once, work until they are revoked, and stay nowhere in the browser', async () => {
    const { cookie } = await lab.signIn()
    await visit(lab, '/me/tokens', { ...desktop, cookie }, async (page) => {
      const rows = page.locator('tbody tr')
      await rows.first().waitFor() // the one of the suite
      await page.getByLabel('Name').fill(attack)
      await page.getByLabel('Days').fill('7')
      await page.getByRole('button', { name: 'Create' }).click()
      const value = (await page.getByRole('region', { name: 'The new token' }).locator('code').textContent()) as string
      expect([value.startsWith('ilab_pat_'), await statusFor(value)]).toEqual([true, 200])
      await expect.poll(() => rows.count()).toBe(2)
      await expectText(page)
      await page.reload()
      const row = rows.filter({ hasText: '<img src=x' })
      await row.getByText(value.slice(-4), { exact: true }).waitFor()
      const kept =
        'document.documentElement.outerHTML + JSON.stringify({ ...localStorage, ...sessionStorage }) + JSON.stringify(history.state) + location.href'
      expect((await page.evaluate(kept)) as string).not.toContain(value)
      await row.getByRole('button', { name: /^Revoke/ }).click()
      const question = page.getByRole('dialog', { name: /^Revoke/ })
      await question.getByRole('button', { name: 'No, go back' }).click()
      expect(await statusFor(value)).toBe(200)
      await row.getByRole('button', { name: /^Revoke/ }).click()
      await question.getByRole('button', { name: 'Revoke the token' }).click()
      await expect.poll(() => rows.count()).toBe(1)
      expect(await statusFor(value)).toBe(401)
      await rows
        .first()
        .getByRole('button', { name: /^Revoke/ })
        .click()
      await question.getByRole('button', { name: 'Revoke the token' }).click()
      await page.getByText('You have no token yet.').waitFor()
    })
  })
})

describe('the account', () => {
  it('ends other browsers, whose names are text, and itself', async () => {
    const { cookie, accountId } = await lab.signIn()
    const other = await openSession(lab.inside, accountId)
    const third = await openSession(lab.inside, accountId)
    inDatabase(lab.dataDir, (database) =>
      database.prepare('update browser_session set user_agent = ? where account_id = ?').run(attack, accountId),
    )
    await visit(lab, '/me', { ...desktop, cookie }, async (page) => {
      const rows = page.locator('tbody tr')
      await expect.poll(() => rows.count()).toBe(3)
      await expectText(page)
      expect(await page.getByText('This installation is free to use').count()).toBe(1)
      const away = rows.filter({ hasNotText: 'This browser' })
      await away.first().getByRole('button').click()
      await expect.poll(() => rows.count()).toBe(2)
      await page.getByRole('button', { name: 'Sign out of all others' }).click()
      await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
      await expect.poll(() => rows.count()).toBe(1)
      expect([(await me(other)).status, (await me(third)).status, (await me(cookie)).status]).toEqual([401, 401, 200])
      await page.getByRole('button', { name: 'Delete my account' }).click()
      const question = page.getByRole('dialog', { name: 'Delete your account?' })
      expect(await question.textContent()).toContain('It cannot be undone.')
      await question.getByRole('button', { name: 'No, go back' }).click()
      expect((await me(cookie)).status).toBe(200)
      await page.getByRole('button', { name: 'Delete my account' }).click()
      await question.getByRole('button', { name: 'Delete my account' }).click()
      await page.getByText('Your account and everything that belonged to it are deleted.').waitFor()
      expect((await me(cookie)).status).toBe(401)
    })
  })
})

describe('the history and the operator', () => {
  it('shows attempts and progress; an operator ends the sandbox, a member may not look', async () => {
    const { cookie, token } = await lab.signIn(`Bob ${attack}`)
    const call = createClient(lab.url, token)
    await visit(lab, '/me/history', { ...desktop, cookie }, async (page) => {
      await page.getByText('No attempt has been graded yet.').waitFor()
      await page.getByRole('link', { name: 'Open the ticket' }).waitFor()
    })
    const { session_id, id } = (await call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })).body
    await call('POST', '/api/v1/sandbox/eval', { session_id })
    await call('POST', '/api/v1/sandbox/exec', { session_id, container: 'web', command: 'mv /srv/index.html /srv/www/index.html' })
    await expect.poll(async () => (await call('POST', '/api/v1/sandbox/eval', { session_id })).body.passed).toBe(true)
    const { seconds_taken } = (await call('GET', `/api/v1/sandbox/${id}/report`)).body
    await call('POST', '/api/v1/sandbox/eval', { session_id })
    await visit(lab, '/me/history', { ...desktop, cookie }, async (page) => {
      const row = page.getByRole('region', { name: 'Table: Attempts' }).locator('tbody tr')
      await row.getByText('Repaired').waitFor()
      const cells = await row.locator('td').allTextContents()
      expect([cells[2], cells[4], Number(cells[5]) >= 3]).toEqual(['100', '0', true])
      const time = cells[3] ?? ''
      const [, minutes = 0, seconds = 0] = /^(?:(\d+) min ?)?(?:(\d+) s)?$/.exec(time) ?? []
      expect(Number(minutes) * 60 + Number(seconds)).toBe(seconds_taken) // of the first pass, whatever was graded after it
      await page.goto(`${lab.url}/labs/${id}/report`)
      await page.getByText(`${time}, from the start of the sandbox to the end of the first evaluation that passed`).waitFor()
      await page.goto(`${lab.url}/labs/${id}`)
      await page.getByRole('button', { name: 'Steps', exact: true }).click()
      await page.getByText(`repaired in ${time} ·`).waitFor()
      await page.goto(`${lab.url}/me/history`)
      const chart = page.getByRole('img', { name: /^1 of \d+ incidents solved: / })
      await chart.waitFor()
      expect([await chart.locator('.chart-solved').count(), (await chart.locator('.chart-open').count()) > 10]).toEqual([1, true])
      await page.getByText('The same as a table').click()
      await page.getByRole('cell', { name: /^1 of / }).waitFor()
      expect(await problemsOf(page)).toEqual([])
      await page.goto(`${lab.url}/operator`)
      await page.getByText('This page is for operators.').waitFor()
      expect(await page.getByRole('table').count()).toBe(0)
      await expectText(page)
    })
    await visit(lab, '/operator', { ...desktop, cookie: await lab.signInOperator(), tolerated: /503/ }, async (page) => {
      const row = page.getByRole('region', { name: 'Live sandboxes' }).locator('tbody tr', { hasText: id })
      await row.getByText('repaired').waitFor()
      expect(await row.textContent()).toContain('Bob <img src=x')
      await expectText(page)
      const problems = page
        .getByRole('region', { name: 'Problems of the catalog' })
        .locator('tbody tr', { hasNotText: 'other grading code' })
      expect(await problems.locator('th').allTextContents()).toEqual(['markup-01', 'scenario-01'])
      await page.route('**/api/v1/operator/**', (route) => route.fulfill({ status: 503, json: { error: away } }))
      await page.getByText(/^The server has not answered since/).waitFor()
      await page.unroute('**/api/v1/operator/**')
      await page.getByText(/^Counted at/).waitFor()
      await row.getByRole('button', { name: `End ${id}` }).click()
      const question = page.getByRole('dialog', { name: `End ${id}?` })
      await question.getByLabel(/^Why/).fill(`Maintenance ${attack}`)
      await question.getByRole('button', { name: 'End the sandbox' }).click()
      await expect.poll(() => row.count()).toBe(0)
    })
    await visit(lab, `/labs/${id}`, { ...desktop, cookie }, async (page) => {
      await page.getByText(`The sandbox has ended: it was ended by the operator: Maintenance ${attack}`).first().waitFor()
      await expectText(page)
    })
    expect((await call('GET', `/api/v1/sandbox/${id}`)).body).toMatchObject({
      ...{ status: 'terminated', termination_reason: 'stopped', termination_by: 'operator', termination_note: `Maintenance ${attack}` },
    })
  })
})

/** As the API would answer. */
const away = { code: 'engine_unavailable', message: 'the container engine does not answer', request_id: '0' }

describe('the look', () => {
  it('fits on a phone', async () => {
    const cookie = await lab.signInOperator()
    await visit(lab, '/me', { ...phone, cookie }, async (page) => {
      for (const path of ['/signin', '/me', '/me/tokens', '/me/history', '/pricing', '/operator', '/status']) {
        await page.goto(`${lab.url}${path}`)
        await page.locator('h1').waitFor()
        await page.waitForLoadState('load')
        await page.locator('[role=status].state').waitFor({ state: 'detached' })
        expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 360])
      }
    })
  })
})
