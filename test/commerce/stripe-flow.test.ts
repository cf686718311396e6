// A purchase with Stripe from the pricing page to the plan and its end, through the whole service: its provider speaks to a local server
// that has the shape of Stripe's API, which reports to the webhook endpoint.

import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createBrowserSessions } from '../../src/accounts/browser-sessions.ts'
import { readConfig } from '../../src/config.ts'
import { type Installation, openInstallation } from '../../src/installation.ts'
import { createMember } from '../support/accounts.ts'
import { openBrowser } from '../support/browser.ts'
import { createClient, createDataDir, type Lab, runLab, smallCatalog, startLab } from '../support/server.ts'
import { type StripeServer, secretKey, startStripeServer, webhookSecret } from '../support/stripe-server.ts'

let lab: Lab
let inside: Installation
let stripe: StripeServer
let environment: Record<string, string>

beforeAll(async () => {
  stripe = await startStripeServer()
  environment = {
    LAB_PAYMENTS: 'stripe',
    LAB_STRIPE_SECRET_KEY: secretKey,
    LAB_STRIPE_WEBHOOK_SECRET: webhookSecret,
    LAB_STRIPE_API_URL: stripe.url,
  }
  lab = await startLab({ ...smallCatalog, ...environment })
  inside = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
})
afterAll(async () => {
  await inside?.store.close()
  await lab?.close()
  await stripe?.close()
})

const deliver = async (from = 0): Promise<void> => {
  const statuses = await stripe.deliver(`${lab.url}/webhooks/stripe`, stripe.events.slice(from))
  expect(new Set(statuses)).toEqual(new Set([200]))
}

/** A member with a token, who is signed in at a browser too. */
const signIn = async () => {
  const { accountId, token } = await createMember(inside)
  const { store, clock } = inside
  const sessions = createBrowserSessions({ store: store.browserSessions, clock, limits: readConfig({}).limits })
  const browser = openBrowser(lab.url)
  browser.cookies().set('lab_session', { value: (await sessions.open(accountId, 'curl/8')).value, path: '/', attributes: '' })
  return { browser, call: createClient(lab.url, token) }
}

const check = (dataDir = lab.dataDir) => runLab(['payments', 'check', '--data', dataDir], environment)

it('goes from the pricing page to the plan, is paid once, and ends with its refund', async () => {
  const { browser, call } = await signIn()
  const planOf = async () => (await call('GET', '/api/v1/auth/me')).body.plan

  const { id } = (await browser.call('POST', '/checkout_sessions', { plan_id: 'pro_monthly' })).body as { id: string }
  const openPage = async () => (await browser.call('POST', `/checkout_sessions/${id}/payment`)).body.url
  const paying = await openPage()
  const [session] = [...stripe.tables.sessions.values()]
  expect(paying).toBe(session?.url)
  expect(session?.success_url).toBe(`${lab.url}/checkout/${id}?returned=1`)
  expect([await openPage(), stripe.tables.sessions.size], 'the same page again').toEqual([paying, 1])

  stripe.pay(session?.id as string)
  const forged = stripe.events.map((event) => stripe.signed(event, { secret: 'whsec_of_somebody_else' }))
  for (const request of forged) {
    const answer = await fetch(`${lab.url}/webhooks/stripe`, { method: 'POST', ...request })
    expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([400, 'invalid_signature'])
  }
  expect(await planOf()).toBeNull()
  expect((await call('GET', `/checkout_sessions/${id}`)).body.payment_status).toBe('unpaid')

  await deliver()
  await deliver()
  expect(await planOf()).toBe('pro_monthly')
  expect((await call('POST', `/checkout_sessions/${id}/complete`)).body.payment_status).toBe('paid')
  const { url } = (await browser.call('POST', '/api/v1/auth/billing')).body
  expect(url).toMatch(new RegExp(`^${stripe.url}/portal/`))
  const same = await check()
  expect([same.code, same.stdout.trim()], same.stderr).toEqual([0, 'Nothing differs (payment provider: stripe).'])

  const before = stripe.events.length
  const [charge] = [...stripe.tables.charges.values()]
  stripe.refund(charge?.payment_intent as string)
  const missed = await check()
  expect([missed.code, missed.stdout.includes(id)], missed.stdout).toEqual([1, true])
  await deliver(before)
  expect(await planOf()).toBeNull()
  expect((await call('GET', `/checkout_sessions/${id}`)).body.payment_status).toBe('refunded')
})

it('has no pages of the local provider, and takes no events of it', async () => {
  const browser = openBrowser(lab.url)
  expect((await browser.visit('/local-payments/local_0000000000000000')).status).toBe(404)
  expect((await createClient(lab.url)('POST', '/webhooks/local', {})).status).toBe(404)
})

it('says that the provider does not answer, and works when it does', async () => {
  const { browser, call } = await signIn()
  const { body } = await call('POST', '/checkout_sessions', { plan_id: 'founding_pass' })
  const pay = () => browser.call('POST', `/checkout_sessions/${body.id}/payment`)
  const empty = await createDataDir()
  stripe.have('drop')
  const failed = await pay()
  expect([failed.status, failed.body.error.code]).toEqual([503, 'payment_provider_unavailable'])
  // Also where there is nothing to compare, and not where there is no installation at all.
  for (const dataDir of [lab.dataDir, empty, join(empty, 'none')]) {
    const { code, stdout, stderr } = await check(dataDir)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(dataDir.endsWith('none') ? 'there is no installation in' : 'does not answer')
  }
  expect(existsSync(join(empty, 'none'))).toBe(false)
  await rm(empty, { recursive: true })
  stripe.have(null)
  expect((await pay()).status).toBe(200)
})
