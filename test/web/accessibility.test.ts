// axe-core finds nothing on any page, in the light and in the dark, on a desktop and on a phone.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { problemsOf } from '../support/axe.ts'
import { desktop, startWebLab, visit, type WebLab } from '../support/web.ts'

let lab: WebLab

beforeAll(async () => {
  lab = await startWebLab()
})
afterAll(() => lab?.close())

const pages = {
  '/': '.card',
  '/?q=nothing+has+this': '.state',
  '/?tier=beginner&domain=database': '.result-line',
  '/courses/scenario-04': '.room-available',
  '/courses/markup-01': '.room-available',
  '/courses/nothing': 'h1',
  '/glossary#oom-killer': '.term-target',
  '/status': '.figure',
  '/connect': '.client',
  '/signin': '.sign-in-way',
  '/me': '.button-primary',
  '/pricing': '.lead',
  '/operator': '.button-primary',
  '/labs/nothing': 'h1',
  '/nothing': 'h1',
}

/** For the operator, who has a token. */
const ownPages = {
  '/signin': '.button-row',
  '/me': '.table',
  '/me/tokens': '.table',
  '/me/history': '.start-here',
  '/operator': '.table',
}

it('axe-core finds nothing on any page', async () => {
  const found: Record<string, string[]> = {}
  await visit(lab, '/status', desktop, async (page) => {
    for (const [path, ready] of Object.entries(pages)) {
      await page.goto(`${lab.url}${path}`)
      await page.locator(ready).first().waitFor()
      found[path] = await problemsOf(page)
    }
    await page.goto(lab.url)
    await page.locator('.card').first().waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    found['the window with the keys'] = await problemsOf(page)
  })
  await visit(lab, '/status', { ...desktop, cookie: await lab.signInOperator() }, async (page) => {
    for (const [path, ready] of Object.entries(ownPages)) {
      await page.goto(`${lab.url}${path}`)
      await page.locator(ready).first().waitFor()
      found[`${path}, signed in`] = await problemsOf(page)
    }
    await page.getByRole('button', { name: 'Operator' }).click()
    await page.getByRole('link', { name: 'Your account' }).waitFor()
    found['the menu of the account'] = await problemsOf(page)
  })
  const { cookie } = await lab.signIn()
  await visit(lab, '/courses/scenario-01', { ...desktop, cookie }, async (page) => {
    await page.getByRole('button', { name: 'Start the incident' }).waitFor()
    found['a course for somebody who is signed in'] = await problemsOf(page)
  })
  expect(Object.fromEntries(Object.entries(found).filter(([, problems]) => problems.length > 0))).toEqual({})
  expect(Object.keys(found).length).toBe(Object.keys(pages).length + Object.keys(ownPages).length + 3)
})
