// What a page costs its reader, measured in Chromium: bytes on the wire, layout shift, largest paint, time until it can be used.

import type { Page } from 'playwright-core'

export interface PageFigures {
  /** The document, scripts and styles, as they come over the wire. */
  readonly bytes: number
  readonly fontBytes: number
  /** The sum of all layout shifts; 0 is none. */
  readonly shift: number
  readonly largestPaintMs: number
  /** The end of the last long task, or the first paint where there is none. */
  readonly interactiveMs: number
}

const countedTypes = new Set(['Document', 'Script', 'Stylesheet'])
/** After this long without a request and without a long task, a page counts as complete. */
const quietMs = 1000

/** Runs in the page before its own scripts. */
const observe = `
  window.benchFigures = { shift: 0, largest: 0, lastTask: 0 }
  const on = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true })
  on('layout-shift', (entry) => { benchFigures.shift += entry.value })
  on('largest-contentful-paint', (entry) => { benchFigures.largest = entry.startTime })
  on('longtask', (entry) => { benchFigures.lastTask = entry.startTime + entry.duration })
`

const read = `({
  ...benchFigures,
  first: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
})`

/** Loads a page with an empty cache on a processor that is so many times slower. */
export const measurePage = async (page: Page, url: string, slowdown: number): Promise<PageFigures> => {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  const types = new Map<string, string>()
  const bytes = new Map<string, number>()
  session.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => bytes.set(requestId, encodedDataLength))
  await page.addInitScript(observe)
  await page.goto(url)
  await page.waitForLoadState('load')
  await page.waitForTimeout(quietMs * slowdown)
  const { shift, largest, lastTask, first } = (await page.evaluate(read)) as Record<'shift' | 'largest' | 'lastTask' | 'first', number>
  const sum = (isCounted: (type: string) => boolean) =>
    [...bytes].filter(([id]) => isCounted(types.get(id) ?? '')).reduce((total, [, size]) => total + size, 0)
  await session.detach()
  return {
    bytes: sum((type) => countedTypes.has(type)),
    fontBytes: sum((type) => type === 'Font'),
    shift,
    largestPaintMs: largest,
    interactiveMs: Math.max(first, lastTask),
  }
}
