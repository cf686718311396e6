// The pages of the pricing flow: pricing, checkout, the local payment provider, and back, as a person with a browser sees them.

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowserSessions } from '../../src/accounts/browser-sessions.ts'
import { readConfig } from '../../src/config.ts'
import { type Installation, openInstallation } from '../../src/installation.ts'
import { createMember } from '../support/accounts.ts'
import { ask, type Browser, type BrowserAnswer, openBrowser } from '../support/browser.ts'
import { inChromium } from '../support/chromium.ts'
import { createClient, type Lab, runLab, smallCatalog, startLab } from '../support/server.ts'

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

/** Where a page leads by itself. */
const nextOf = ({ text }: BrowserAnswer): string =>
  (/http-equiv="refresh" content="\d+;url=([^"]+)"/.exec(text)?.[1] ?? 'nowhere').replace(/&#(\d+);/g, (_, code) =>
    String.fromCharCode(Number(code)),
  )
const titleOf = ({ text }: BrowserAnswer): string => /<h1>([^<]+)/.exec(text)?.[1] ?? ''

/** From the pricing page to the page of the provider. */
const buy = async ({ browser }: Person, form: Record<string, string>) => {
  const checkout = await browser.visit('/pricing', { form })
  expect(titleOf(checkout)).toBe('Checkout')
  const paying = await browser.visit(checkout.url.pathname, { form: { action: 'pay' } })
  return { checkout: checkout.url.pathname, payment: nextOf(paying) }
}

/** The page once the provider has confirmed the payment. */
const confirmed = async ({ browser }: Person, path: string): Promise<BrowserAnswer> => {
  await expect.poll(async () => titleOf(await browser.visit(`${path}?returned=1`)), { interval: 200 }).toBe('Paid')
  return browser.visit(`${path}?returned=1`)
}

describe('the pricing page', () => {
  it('shows everybody what there is, and leads to the sign-in and back', async () => {
    const stranger = openBrowser(lab.url)
    const page = await stranger.visit('/pricing')
    for (const text of ['$29.00', '$249.00', 'Founding pass', '500 of 500 left', '10 drills', 'no money moves'])
      expect(page.text).toContain(text)
    expect(page.text).not.toContain('<button')
    const link = /href="(\/signin\?return_to=[^"]+)"/.exec(page.text)?.[1] as string
    const signInPage = await stranger.visit(link)
    expect(signInPage.text).toContain('data-next="/pricing"')
    const foreign = await stranger.visit('/signin?return_to=https://evil.example/')
    expect(foreign.text).toContain('data-next="/"')
  })

  it('may run nothing and load nothing, sends forms to this service only, and is kept by no cache', async () => {
    const { browser } = await signIn()
    const { headers, text } = await browser.visit('/pricing')
    const policy = headers['content-security-policy'] as string
    const style = /<style>(.*?)<\/style>/s.exec(text)?.[1] as string
    const hash = createHash('sha256').update(style).digest('base64')
    expect(policy).toBe(`default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`)
    expect([headers['cache-control'], headers['referrer-policy'], headers['x-content-type-options']]).toEqual([
      ...['no-store', 'same-origin', 'nosniff'],
    ])
    expect(text).not.toMatch(/<script|onclick|style="/)
  })

  it('takes no form of another page, and none of nobody', async () => {
    const { browser } = await signIn()
    const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
    const send = (headers: Record<string, string>, body = 'plan_id=pro_monthly') =>
      ask(new URL('/pricing', lab.url), { method: 'POST', headers: { ...form, ...headers }, body })
    const cookie = { cookie: browser.cookieHeader() }
    for (const from of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      {},
    ])
      expect((await send({ ...cookie, ...from } as Record<string, string>)).status).toBe(403)
    const own = { origin: lab.url, 'sec-fetch-site': 'same-origin' }
    const nobody = await send(own)
    expect([nobody.status, nobody.headers.location]).toEqual([303, '/signin?return_to=%2Fpricing'])
    const billing = await ask(new URL('/pricing/billing', lab.url), { method: 'POST', headers: { ...form, ...own }, body: '' })
    expect(billing.headers.location).toBe('/signin?return_to=%2Fpricing')
    expect((await send({ ...cookie, ...own }, 'plan_id=gold')).status).toBe(400)
    expect((await send({ ...cookie, ...own }, 'plan_id=pro_monthly&pack_id=credits_10')).status).toBe(400)
    expect((await send({ ...cookie, ...own }, `plan_id=${'x'.repeat(5_000)}`)).status).toBe(413)
    expect((await send({ ...cookie, ...own, 'content-type': 'application/json' }, '{}')).status).toBe(415)
    expect((await send({ ...cookie, ...own })).status).toBe(303)
  })
})

describe('a purchase', () => {
  it('goes from the pricing page over the provider and back, and the plan is there', async () => {
    const person = await signIn()
    const { browser, call } = person
    const { checkout, payment } = await buy(person, { plan_id: 'pro_monthly' })
    const id = checkout.split('/').at(-1)
    expect(payment).toMatch(new RegExp(`^${lab.url}/local-payments/`))
    const provider = await browser.visit(payment)
    expect(provider.text).toContain('No money moves')
    expect(provider.text).toContain('Pay $29.00')
    expect((await call('GET', `/checkout_sessions/${id}`)).body.payment_status).toBe('unpaid')
    const waiting = await browser.visit(`${checkout}?returned=1`)
    expect([titleOf(waiting), nextOf(waiting)]).toEqual(['Not confirmed yet', `${checkout}?returned=2`])
    const returned = await browser.visit(payment, { form: { action: 'pay' } })
    expect(returned.url.pathname + returned.url.search).toBe(`${checkout}?returned=1`)
    await confirmed(person, checkout)
    expect((await call('POST', `/checkout_sessions/${id}/complete`)).body.status).toBe('completed')
    expect((await call('GET', '/api/v1/auth/me')).body.plan).toBe('pro_monthly')
    const pricing = await browser.visit('/pricing')
    expect(pricing.text).toContain('You have <strong>Pro</strong>, paid until')
    expect(pricing.text).not.toContain('Buy Pro')
    expect(pricing.text).toContain('Buy Founding pass')
    const again = await browser.visit(checkout, { form: { action: 'pay' } })
    expect([again.status, titleOf(again)]).toEqual([400, 'Nothing was paid'])
  })

  it('of credits shows in the balance, and the check of the operator finds nothing', async () => {
    const person = await signIn()
    const { checkout, payment } = await buy(person, { pack_id: 'credits_10' })
    await person.browser.visit(payment, { form: { action: 'pay' } })
    await confirmed(person, checkout)
    expect((await person.call('GET', '/api/v1/credits')).body.balance).toBe(10)
    expect((await person.browser.visit('/pricing')).text).toContain('and 10 credits')
    const { code, stdout } = await runLab(['payments', 'check', '--data', lab.dataDir], payments)
    expect([code, stdout.trim()]).toEqual([0, 'Nothing differs (payment provider: local).'])
  })

  it('that is declined can be paid afterwards, and one that is cancelled can not be begun again', async () => {
    const person = await signIn()
    const { browser, call } = person
    const { checkout, payment } = await buy(person, { plan_id: 'founding_pass' })
    const declined = await browser.visit(payment, { form: { action: 'decline' } })
    expect([declined.url.pathname, titleOf(declined)]).toEqual([checkout, 'Checkout'])
    await expect.poll(async () => (await browser.visit(checkout)).text).toContain('The payment was declined')
    expect((await browser.visit('/pricing')).text).toContain(`<a href="${checkout}">Founding pass, $249.00</a>`)
    const cancelled = await browser.visit(checkout, { form: { action: 'cancel' } })
    expect(titleOf(cancelled)).toBe('Cancelled')
    expect((await call('GET', `/checkout_sessions/${checkout.split('/').at(-1)}`)).body.status).toBe('cancelled')
    expect(titleOf(await browser.visit(checkout, { form: { action: 'pay' } }))).toBe('Nothing was paid')
  })

  it('is one of the account that made it: others find no checkout and no payment', async () => {
    const [person, eve] = [await signIn(), await signIn()]
    const { checkout, payment } = await buy(person, { plan_id: 'pro_monthly' })
    for (const path of [checkout, payment]) {
      expect((await eve.browser.visit(path)).status).toBe(404)
      expect((await eve.browser.visit(path, { form: { action: 'pay' } })).status).toBe(404)
      const stranger = await openBrowser(lab.url).visit(path, { follows: () => false })
      expect(stranger.url.pathname).toBe('/signin')
    }
    for (const path of ['/checkout/%00', `/checkout/${'x'.repeat(100)}`, '/local-payments/%00', '/local-payments/customers/%00'])
      expect((await person.browser.visit(path)).status, path).toBe(404)
    expect((await person.call('GET', `/checkout_sessions/${checkout.split('/').at(-1)}`)).body.payment_status).toBe('unpaid')
  })

  it('is made by a person: a token opens none of its pages', async () => {
    const person = await signIn()
    const { body } = await person.call('POST', '/checkout_sessions', { plan_id: 'pro_monthly' })
    const { pathname } = new URL(body.payment_url)
    const paying = await person.browser.visit(pathname, { form: { action: 'pay' } })
    const asProgram = async (method: string, path: string, form?: string) => {
      const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'application/x-www-form-urlencoded' }
      return (await fetch(new URL(path, lab.url), { method, headers, ...(form === undefined ? {} : { body: form }) })).status
    }
    expect(await asProgram('GET', pathname)).toBe(403)
    for (const [path, form] of [
      ...([[pathname, 'action=pay'] as const, [pathname, 'action=cancel'] as const, [nextOf(paying), 'action=pay'] as const] as const),
      ...([['/pricing', 'plan_id=founding_pass'] as const, ['/pricing/billing', ''] as const] as const),
    ]) {
      expect([path, await asProgram('POST', path, form)]).toEqual([path, 403])
    }
    expect((await person.call('GET', `/checkout_sessions/${body.id}`)).body).toMatchObject({ status: 'open', payment_status: 'unpaid' })
  })

  it('leads back to where the program wanted the person to go', async () => {
    const person = await signIn()
    const urls = { success_url: 'https://shop.example/thanks?a=1&b=2', cancel_url: 'https://shop.example/no' }
    const { body } = await person.call('POST', '/checkout_sessions', { plan_id: 'pro_monthly', ...urls })
    const path = new URL(body.payment_url).pathname
    const paying = await person.browser.visit(path, { form: { action: 'pay' } })
    await person.browser.visit(nextOf(paying), { form: { action: 'pay' } })
    const paid = await confirmed(person, path)
    expect(paid.text).toContain('href="https://shop.example/thanks?a=1&#38;b=2"')
    const again = await person.call('POST', '/checkout_sessions', { plan_id: 'pro_monthly', ...urls })
    expect([again.status, again.body.error.code]).toEqual([400, 'already_bought'])
    const other = (await person.call('POST', '/checkout_sessions', { plan_id: 'founding_pass', ...urls })).body
    const cancelled = await person.browser.visit(new URL(other.payment_url).pathname, { form: { action: 'cancel' } })
    expect(nextOf(cancelled)).toBe(urls.cancel_url)
  })
})

describe('afterwards', () => {
  it('the billing pages show the payment; a refund takes back what it gave', async () => {
    const person = await signIn()
    const { browser, call } = person
    expect((await browser.call('POST', '/api/v1/auth/billing')).body.error.code).toBe('not_found')
    const { checkout, payment } = await buy(person, { plan_id: 'pro_monthly' })
    await browser.visit(payment, { form: { action: 'pay' } })
    await confirmed(person, checkout)
    const { url } = (await browser.call('POST', '/api/v1/auth/billing')).body
    expect((await browser.visit(url)).text).toContain(new URL(payment).pathname)
    expect(nextOf(await browser.visit('/pricing/billing', { form: {} }))).toBe(url)
    await browser.visit(payment, { form: { action: 'refund' } })
    await expect.poll(async () => (await call('GET', '/api/v1/auth/me')).body.plan).toBeNull()
    expect(titleOf(await browser.visit(checkout))).toBe('Refunded')
    expect((await browser.visit('/pricing')).text).toMatch(/was refunded or disputed, but its subscription goes on after/)
    await browser.visit(payment, { form: { action: 'end_subscription' } })
    await expect.poll(async () => (await browser.visit('/pricing')).text).not.toContain('goes on after')
  })

  it('the pages tell of a renewal that failed, and of a subscription that goes on beside another plan', async () => {
    const person = await signIn()
    const { browser, call } = person
    const { checkout, payment } = await buy(person, { plan_id: 'pro_monthly' })
    await browser.visit(payment, { form: { action: 'pay' } })
    await confirmed(person, checkout)
    await browser.visit(payment, { form: { action: 'fail_renewal' } })
    await expect.poll(async () => (await browser.visit('/pricing')).text).toContain('The last renewal of Pro failed')
    await browser.visit(payment, { form: { action: 'renew' } })
    await expect.poll(async () => (await browser.visit('/pricing')).text).not.toContain('failed')
    const pass = await buy(person, { plan_id: 'founding_pass' })
    expect((await browser.visit(pass.checkout)).text).toContain('You pay for Pro every month')
    await browser.visit(pass.payment, { form: { action: 'pay' } })
    await confirmed(person, pass.checkout)
    expect((await browser.visit('/pricing')).text).toMatch(/You also pay for Pro every month, which goes on after/)
    const { items, total_count } = (await call('GET', '/checkout_sessions')).body
    expect([items.map(({ name }: { name: string }) => name), total_count]).toEqual([['Founding pass', 'Pro'], 2])
  })
})

describe('in a real browser', () => {
  const sizes = [
    ['a desktop', { viewport: { width: 1280, height: 800 } }],
    ['a phone', { viewport: { width: 360, height: 740 } }],
    ['the dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
    ['no scripts', { viewport: { width: 1280, height: 800 }, javaScriptEnabled: false }],
  ] as const

  it.each(sizes)('a purchase works on %s', async (_where, options) => {
    const { cookie, call } = await signIn()
    await inChromium(`${lab.url}/pricing`, options, async ({ page, foreign, complaints }) => {
      await page.context().addCookies([{ name: 'lab_session', value: cookie, url: lab.url }])
      await page.goto(`${lab.url}/pricing`)
      const fits = async () => {
        const { width = 0 } = page.viewportSize() ?? {}
        const box = await page.locator('main').boundingBox()
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
      }
      await fits()
      await page.getByRole('button', { name: 'Buy Pro' }).click()
      await page.getByRole('button', { name: 'Pay' }).click()
      await page.waitForURL('**/local-payments/*')
      await fits()
      await page.getByRole('button', { name: 'Pay $29.00' }).click()
      await page.getByRole('heading', { name: 'Paid' }).waitFor()
      await fits()
      expect([foreign, complaints]).toEqual([[], []])
    })
    expect((await call('GET', '/api/v1/auth/me')).body.plan).toBe('pro_monthly')
  })
})
