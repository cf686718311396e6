// The pages of the pricing flow: pricing, checkout, the local payment provider, and back, as a person with a browser sees them.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowserSessions } from '../../src/accounts/browser-sessions.ts'
import { readConfig } from '../../src/config.ts'
import { type Installation, openInstallation } from '../../src/installation.ts'
import { createMember } from '../support/accounts.ts'
import { problemsOf } from '../support/axe.ts'
import { type Browser, openBrowser } from '../support/browser.ts'
import { createClient, type Lab, runLab, smallCatalog, startLab } from '../support/server.ts'
import { desktop, phone, visit } from '../support/web.ts'

let lab: Lab
let inside: Installation

const payments = { LAB_PAYMENTS: 'local', LAB_REQUIRE_PLAN: '1' }

beforeAll(async () => {
  lab = await startLab({ ...smallCatalog, ...payments })
  inside = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
})
afterAll(async () => {
  await inside?.store.close()
  await lab?.close()
})

interface Person {
  readonly browser: Browser
  /** The value of the cookie. */
  readonly cookie: string
  readonly token: string
  readonly call: ReturnType<typeof createClient>
}

const signIn = async (): Promise<Person> => {
  const { accountId, token } = await createMember(inside)
  const { store, clock } = inside
  const sessions = createBrowserSessions({ store: store.browserSessions, clock, limits: readConfig({}).limits })
  const { value } = await sessions.open(accountId, 'curl/8')
  const browser = openBrowser(lab.url)
  browser.cookies().set('lab_session', { value, path: '/', attributes: '' })
  return { browser, cookie: value, token, call: createClient(lab.url, token) }
}

/** From an offer to the page of the provider, as the pages of the app do it. */
const buy = async ({ browser }: Person, offer: Record<string, string>) => {
  const path = 'plan_id' in offer ? '/checkout_sessions' : '/api/v1/credits/checkout'
  const { id } = (await browser.call('POST', path, offer)).body as { id: string }
  const { url } = (await browser.call('POST', `/checkout_sessions/${id}/payment`)).body as { url: string }
  return { id, checkout: `/checkout/${id}`, payment: url }
}

const read = async ({ browser }: Person, id: string) => (await browser.call('GET', `/checkout_sessions/${id}`)).body
const billing = async ({ browser }: Person) => (await browser.call('GET', '/api/v1/auth/billing')).body

/** Once the provider has confirmed the payment. */
const confirmed = (person: Person, id: string) =>
  expect.poll(async () => (await read(person, id)).payment_status, { interval: 200 }).toBe('paid')

describe('the pricing page', () => {
  it('shows everybody what there is, and leads to the sign-in and back', () =>
    visit(lab, '/pricing', desktop, async (page) => {
      for (const text of ['$29.00', '$249.00', '500 of 500 left', 'no money moves']) await page.getByText(text).first().waitFor()
      expect(await page.getByRole('heading', { level: 3 }).allTextContents()).toEqual(
        expect.arrayContaining(['Pro', 'Founding pass', '10 drills']),
      )
      expect(await page.getByRole('button', { name: /^Buy/ }).count()).toBe(0)
      await page.getByRole('link', { name: 'Sign in to buy' }).first().click()
      await page.getByText('Afterwards you come back to /pricing.').waitFor()
      await page.goto(`${lab.url}/signin?return_to=https://evil.example/`)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      expect(await page.getByText('Afterwards you come back').count()).toBe(0)
    }))

  it('is a page for programs, too, and none of another site can frame it', async () => {
    const answer = await fetch(`${lab.url}/pricing`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })
})

describe('a purchase', () => {
  it('goes over the provider and back, and the plan is there', async () => {
    const person = await signIn()
    const { browser, call } = person
    const { id, checkout, payment } = await buy(person, { plan_id: 'pro_monthly' })
    expect(payment).toMatch(new RegExp(`^${lab.url}/local-payments/`))
    const provider = await browser.visit(payment)
    expect(provider.text).toContain('No money moves')
    expect(provider.text).toContain('Pay $29.00')
    expect((await read(person, id)).payment_status).toBe('unpaid')
    const returned = await browser.visit(payment, { form: { action: 'pay' } })
    expect([returned.status, returned.url.pathname + returned.url.search]).toEqual([200, `${checkout}?returned=1`])
    await confirmed(person, id)
    expect((await call('POST', `/checkout_sessions/${id}/complete`)).body.status).toBe('completed')
    expect((await call('GET', '/api/v1/auth/me')).body.plan).toBe('pro_monthly')
    expect(await billing(person)).toMatchObject({ subscriptions: [{ plan_id: 'pro_monthly', state: 'active' }], has_invoices: true })
    const again = await browser.call('POST', `/checkout_sessions/${id}/payment`)
    expect([again.status, again.body.error.code]).toEqual([400, 'checkout_not_open'])
  })

  it('of credits shows in the balance, and the check of the operator finds nothing', async () => {
    const person = await signIn()
    const { id, payment } = await buy(person, { pack_id: 'credits_10' })
    await person.browser.visit(payment, { form: { action: 'pay' } })
    await confirmed(person, id)
    expect((await person.call('GET', '/api/v1/credits')).body.balance).toBe(10)
    const { code, stdout } = await runLab(['payments', 'check', '--data', lab.dataDir], payments)
    expect([code, stdout.trim()]).toEqual([0, 'Nothing differs (payment provider: local).'])
  })

  it('that is declined can be paid afterwards, and one that is cancelled can not be begun again', async () => {
    const person = await signIn()
    const { browser } = person
    const { id, checkout, payment } = await buy(person, { plan_id: 'founding_pass' })
    const declined = await browser.visit(payment, { form: { action: 'decline' } })
    expect(declined.url.pathname + declined.url.search).toBe(checkout)
    const history = async () => (await browser.call('GET', `/checkout_sessions/${id}/history`)).body.items
    await expect.poll(async () => (await history()).at(-1).event).toBe('payment_failed')
    await visit(lab, checkout, { ...desktop, cookie: person.cookie }, async (page) => {
      await page.getByText('The payment was declined.').waitFor()
      await page.goto(`${lab.url}/pricing`)
      await page.getByRole('link', { name: 'Founding pass, $249.00' }).click()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('heading', { name: 'Cancelled' }).waitFor()
    })
    expect((await read(person, id)).status).toBe('cancelled')
    expect((await browser.call('POST', `/checkout_sessions/${id}/payment`)).body.error.code).toBe('checkout_not_open')
  })

  it('is one of the account that made it: others find no checkout and no payment', async () => {
    const [person, eve] = [await signIn(), await signIn()]
    const { id, checkout, payment } = await buy(person, { plan_id: 'pro_monthly' })
    for (const path of [checkout, payment]) {
      expect((await eve.browser.visit(path)).status).toBe(404)
      const stranger = await openBrowser(lab.url).visit(path, { follows: () => false })
      expect([stranger.url.pathname, stranger.url.searchParams.get('return_to')]).toEqual(['/signin', new URL(path, lab.url).pathname])
    }
    expect((await eve.browser.visit(payment, { form: { action: 'pay' } })).status).toBe(404)
    for (const [method, part] of [
      ['POST', 'payment'],
      ['GET', 'history'],
    ] as const)
      expect((await eve.browser.call(method, `/checkout_sessions/${id}/${part}`)).status).toBe(404)
    for (const path of ['/checkout/%00', `/checkout/${'x'.repeat(100)}`, '/local-payments/%00', '/local-payments/customers/%00'])
      expect((await person.browser.visit(path)).status, path).toBe(404)
    expect((await read(person, id)).payment_status).toBe('unpaid')
  })

  it('is made by a person: a token opens none of its pages, nor does a page of another site', async () => {
    const person = await signIn()
    const { id, checkout, payment } = await buy(person, { plan_id: 'pro_monthly' })
    const asProgram = async (method: string, path: string) =>
      (await fetch(new URL(path, lab.url), { method, headers: { authorization: `Bearer ${person.token}` } })).status
    expect(await asProgram('GET', checkout)).toBe(403)
    expect(await asProgram('GET', payment)).toBe(403)
    expect(await asProgram('POST', `/checkout_sessions/${id}/payment`)).toBe(403)
    for (const from of [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site', origin: 'null' },
    ])
      expect((await person.browser.call('POST', `/checkout_sessions/${id}/payment`, undefined, from)).status).toBe(403)
    expect(await read(person, id)).toMatchObject({ status: 'open', payment_status: 'unpaid' })
  })

  it('leads back to where the program wanted the person to go', async () => {
    const person = await signIn()
    const urls = { success_url: 'https://shop.example/thanks?a=1&b=2', cancel_url: 'https://shop.example/no' }
    const { body } = await person.call('POST', '/checkout_sessions', { plan_id: 'pro_monthly', ...urls })
    const { url } = (await person.browser.call('POST', `/checkout_sessions/${body.id}/payment`)).body
    await person.browser.visit(url, { form: { action: 'pay' } })
    await confirmed(person, body.id)
    const again = await person.call('POST', '/checkout_sessions', { plan_id: 'pro_monthly', ...urls })
    expect([again.status, again.body.error.code]).toEqual([400, 'already_bought'])
    await visit(lab, `/checkout/${body.id}`, { ...desktop, cookie: person.cookie }, async (page) => {
      const link = page.getByRole('link', { name: 'Go on to shop.example' })
      expect(await link.getAttribute('href')).toBe(urls.success_url)
    })
  })
})

describe('afterwards', () => {
  it('the billing pages show the payment; a refund takes back what it gave', async () => {
    const person = await signIn()
    const { browser, call } = person
    expect((await browser.call('POST', '/api/v1/auth/billing')).body.error.code).toBe('not_found')
    const { id, payment } = await buy(person, { plan_id: 'pro_monthly' })
    await browser.visit(payment, { form: { action: 'pay' } })
    await confirmed(person, id)
    const { url } = (await browser.call('POST', '/api/v1/auth/billing')).body
    expect((await browser.visit(url)).text).toContain(new URL(payment).pathname)
    await browser.visit(payment, { form: { action: 'refund' } })
    await expect.poll(async () => (await call('GET', '/api/v1/auth/me')).body.plan).toBeNull()
    expect([(await read(person, id)).payment_status, (await billing(person)).subscriptions[0].state]).toEqual(['refunded', 'refunded'])
    await browser.visit(payment, { form: { action: 'end_subscription' } })
    await expect.poll(async () => (await billing(person)).subscriptions).toEqual([])
  })

  it('the pages tell of a renewal that failed, and of a subscription that goes on beside another plan', async () => {
    const person = await signIn()
    const { browser, call } = person
    const { id, payment } = await buy(person, { plan_id: 'pro_monthly' })
    await browser.visit(payment, { form: { action: 'pay' } })
    await confirmed(person, id)
    await browser.visit(payment, { form: { action: 'fail_renewal' } })
    await expect.poll(async () => (await billing(person)).subscriptions[0].state).toBe('past_due')
    await visit(lab, '/pricing', { ...desktop, cookie: person.cookie }, async (page) => {
      await page.getByText('The last renewal of Pro failed').waitFor()
    })
    await browser.visit(payment, { form: { action: 'renew' } })
    await expect.poll(async () => (await billing(person)).subscriptions[0].state).toBe('active')
    const pass = await buy(person, { plan_id: 'founding_pass' })
    await visit(lab, pass.checkout, { ...desktop, cookie: person.cookie }, async (page) => {
      await page.getByText('You pay for Pro every month').waitFor()
      await browser.visit(pass.payment, { form: { action: 'pay' } })
      await page.getByRole('heading', { name: 'Paid' }).waitFor() // the page looks again by itself
      await page.getByRole('link', { name: 'To the plans' }).click()
      await page.getByText('You also pay for Pro every month, which goes on after').waitFor()
      await page.getByText('You have Founding pass, without an end.').waitFor()
    })
    const { items, total_count } = (await call('GET', '/checkout_sessions')).body
    expect([items.map(({ name }: { name: string }) => name), total_count]).toEqual([['Founding pass', 'Pro'], 2])
  })
})

describe('in a real browser', () => {
  const fits = async (page: Page) => {
    const { width = 0 } = page.viewportSize() ?? {}
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  }

  it.each([
    ['a desktop', desktop],
    ['a phone', phone],
  ])('a purchase works on %s', async (_where, options) => {
    const { cookie, call } = await signIn()
    await visit(lab, '/pricing', { ...options, cookie }, async (page) => {
      await page.getByRole('button', { name: 'Buy Pro' }).waitFor()
      await page.getByText('You have no plan.').waitFor()
      const problems = [await problemsOf(page)]
      await fits(page)
      await page.getByRole('button', { name: 'Buy Pro' }).click()
      await page.getByRole('button', { name: 'Pay' }).waitFor()
      problems.push(await problemsOf(page))
      await fits(page)
      await page.getByRole('button', { name: 'Pay' }).click()
      await page.waitForURL('**/local-payments/*')
      await fits(page)
      await page.getByRole('button', { name: 'Pay $29.00' }).click()
      await page.getByRole('heading', { name: 'Paid' }).waitFor()
      problems.push(await problemsOf(page))
      expect(problems).toEqual([[], [], []])
      await fits(page)
      await page.goto(`${lab.url}/me`)
      await page.getByText(/^Pro, until /).waitFor()
      await page.getByRole('link', { name: 'Plans and invoices' }).click()
      await page.getByText('You have it').waitFor()
      expect(await page.getByRole('button', { name: 'Buy Pro' }).count()).toBe(0)
    })
    expect((await call('GET', '/api/v1/auth/me')).body.plan).toBe('pro_monthly')
  })
})
