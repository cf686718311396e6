// What moves on a page by itself, as Chromium sees it. The answers of the API are held, and given one after another, each after the page
// has painted the one before: so it does not depend on the machine which of them are painted together.

import type { Page, Route } from 'playwright-core'

/** Runs in the page before its own scripts. */
const observe = `
  window.shifts = []
  const nameOf = (node) => {
    const element = node?.nodeType === 3 ? node.parentElement : node
    return element === null || element === undefined ? 'something' : element.tagName.toLowerCase() + '.' + element.className
  }
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) shifts.push({ value, moved: sources.map(({ node }) => nameOf(node)) })
  }).observe({ type: 'layout-shift', buffered: true })
`

const painted = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))'

/** Frames in which a page asks for nothing: while its program is loaded. */
const mostIdle = 1_000

export type Order = 'first asked, first answered' | 'last asked, first answered'

export interface Shifts {
  /** The sum of all of them; 0 is none. */
  readonly sum: number
  readonly moved: readonly string[]
}

/** Opens a page, with `ready` on it once everything is there, and tells what has moved until then. */
export const shiftsOf = async (page: Page, url: string, ready: string, order: Order): Promise<Shifts> => {
  const held: Route[] = []
  await page.addInitScript(observe)
  await page.route('**/api/v1/**', (route) => void held.push(route))
  await page.goto(url)
  const isReady = () => page.locator(ready).first().isVisible()
  for (let idle = 0; !(await isReady()) || held.length > 0; ) {
    const next = order === 'first asked, first answered' ? held.shift() : held.pop()
    await next?.continue()
    await next?.request().response()
    await page.evaluate(painted)
    idle = next === undefined ? idle + 1 : 0
    if (idle > mostIdle) throw new Error(`${url} asked for nothing more, and ${ready} was not there`)
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  const shifts = (await page.evaluate('shifts')) as { value: number; moved: string[] }[]
  return { sum: shifts.reduce((sum, { value }) => sum + value, 0), moved: [...new Set(shifts.flatMap(({ moved }) => moved))] }
}
