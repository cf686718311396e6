// Nothing moves on any page while it is loaded, in whatever order the answers come: for a visitor, and for somebody who has a lab open
// and has solved a course; on a desktop and on a phone.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Order, shiftsOf } from '../support/layout-shift.ts'
import { day } from '../support/random.ts'
import { deep, runsAll } from '../support/test-mode.ts'
import { turns } from '../support/turns.ts'
import { desktop, phone, startWebLab, visit, type WebLab } from '../support/web.ts'

let lab: WebLab
let cookie: string
let ended: string
let open: string

beforeAll(async () => {
  lab = await startWebLab({ LAB_EVALUATION_SPACING_SECONDS: '0' })
  cookie = await lab.signInOperator()
  const { call } = lab
  const start = async () => (await call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })).body
  const first = await start()
  const { session_id } = first
  const command = 'mv /srv/index.html /srv/www/index.html'
  await call('POST', '/api/v1/sandbox/exec', { session_id, container: 'web', command })
  await vi.waitFor(async () => expect((await call('POST', '/api/v1/sandbox/eval', { session_id })).body.passed).toBe(true), 60_000)
  await call('POST', '/api/v1/sandbox/stop', { session_id })
  ended = first.id
  open = (await start()).id
})
afterAll(() => lab?.close())

/** What an eye could see. */
const seen = 0.001
const screens = { 'on a desktop': desktop, 'on a phone': phone }
const orders: readonly Order[] = ['first asked, first answered', 'last asked, first answered']
const ways = Object.entries(screens).flatMap(([where, screen]) => orders.map((order) => ({ where, screen, order })))
/** Every page in every way in a run of everything; else in one, and the next time that it is this suite's turn in the next. */
const waysOf = (page: number) => (deep || runsAll ? ways : [ways[(page + Math.floor(day / turns)) % ways.length] as (typeof ways)[number]])

const forEverybody = {
  '/': '.card',
  '/courses/scenario-01': '.room-available',
  '/courses/scenario-04': '.room-available',
  '/glossary': '.term-link',
  '/status': '.figure',
  '/connect': '.client',
  '/pricing': '.lead',
  '/nothing': 'h1',
}
const forVisitors = { ...forEverybody, '/signin': '.sign-in-way', '/me': '.button-primary', '/operator': '.button-primary' }
const forMembers = () => ({
  ...forEverybody,
  ...{ '/signin': '.button-row', '/me': '.table', '/me/tokens': '.table', '/me/history': '.panel', '/operator': '.table' },
  ...{ [`/labs/${open}`]: '.xterm-rows', [`/labs/${ended}`]: '.lab-notice' },
  ...{ [`/labs/${ended}/report`]: '.report-steps', [`/replays/${ended}`]: '.replay-controls' },
})

const movedOn = async (pages: Readonly<Record<string, string>>, cookies: { readonly cookie?: string } = {}) => {
  const found: Record<string, unknown> = {}
  for (const [index, [path, ready]] of Object.entries(pages).entries()) {
    for (const { where, screen, order } of waysOf(index)) {
      await visit(lab, '/llms.txt', { ...screen, ...cookies }, async (page) => {
        const shifts = await shiftsOf(page, `${lab.url}${path}`, ready, order)
        if (shifts.sum >= seen) found[`${path} ${where}, ${order}`] = shifts
      })
    }
  }
  return found
}

describe('nothing moves', () => {
  it('for a visitor', async () => expect(await movedOn(forVisitors)).toEqual({}))
  it('for somebody who is signed in', async () => expect(await movedOn(forMembers(), { cookie })).toEqual({}))
})
