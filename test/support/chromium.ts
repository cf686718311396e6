// A real browser for a test: Debian's Chromium, which is installed where it is missing. It sends nothing of its own. A suite starts one;
// each visit has a context of its own in it, which shares nothing with the others. It ends when nobody has used it for some seconds.

import { access } from 'node:fs/promises'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { aptInstall } from '../../src/run-program.ts'

const executablePath = '/usr/bin/chromium'

const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export interface WatchedPage {
  readonly page: Page
  /** Addresses of other hosts that the page asked. */
  readonly foreign: readonly string[]
  /** Errors and warnings of the page and of the browser, such as what its policy forbids. */
  readonly complaints: readonly string[]
}

const launch = async (): Promise<Browser> => {
  await access(executablePath).catch(() => aptInstall(['chromium']))
  return chromium.launch({ executablePath, args: ['--no-sandbox', ...quiet], timeout: 120_000 })
}

const idleMs = 5_000
let launched: Promise<Browser> | undefined
let visits = 0
let idle: NodeJS.Timeout | undefined

const begin = (): Promise<Browser> => {
  clearTimeout(idle)
  visits += 1
  launched ??= launch()
  return launched
}

/** A process that ends before takes its browser with it. */
const end = (): void => {
  visits -= 1
  if (visits > 0) return
  const last = launched
  idle = setTimeout(() => {
    launched = undefined
    last?.then((browser) => browser.close()).catch(() => undefined)
  }, idleMs).unref()
}

/** Shows a page to `look`, as in a browser that was never used before. */
export const inChromium = async (url: string, options: BrowserContextOptions, look: (watched: WatchedPage) => Promise<void>) => {
  const browser = await begin()
  const context = await browser.newContext(options)
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    const foreign: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => {
      const asked = new URL(request.url())
      if (!['data:', 'blob:'].includes(asked.protocol) && asked.origin !== new URL(url).origin) foreign.push(asked.href)
    })
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(url)
    await look({ page, foreign, complaints })
  } finally {
    await context.close()
    end()
  }
}
