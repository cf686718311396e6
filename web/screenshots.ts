// Takes a screenshot of every page, light and dark, on a desktop and on a phone, from a server of its own with a lab that is opened,
// graded too early, repaired and graded again.
// Usage: node_modules/.bin/node web/screenshots.ts FOLDER

import { execFile } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { parse } from 'yaml'
import { startBenchServer } from '../bench/lib/server.ts'

const root = join(import.meta.dirname, '..')
const folder = process.argv[2]
if (folder === undefined) throw new Error('say which folder the screenshots go to')

const themes = ['light', 'dark'] as const
const screens = { desktop: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } }
const settleMs = 2_500

type State = Awaited<ReturnType<BrowserContext['storageState']>>

const server = await startBenchServer({ LAB_POOL: '1' })

const operatorState = async (browser: Browser): Promise<State> => {
  const { stdout } = await promisify(execFile)(join(root, 'lab'), ['signin', '--data', server.dataDir])
  const context = await browser.newContext()
  const data = { code: /#(\S+)/.exec(stdout)?.[1] }
  const answer = await context.request.post(`${server.url}/api/v1/auth/local`, { data, headers: { origin: server.url } })
  if (!answer.ok()) throw new Error(await answer.text())
  const state = await context.storageState()
  await context.close()
  return state
}

/** One picture for each theme and screen; the phone shows the whole page, as far as it scrolls. */
const shoot = async (browser: Browser, pages: Readonly<Record<string, string>>, storageState?: State) => {
  for (const colorScheme of themes) {
    for (const [screen, viewport] of Object.entries(screens)) {
      const context = await browser.newContext({ colorScheme, viewport, ...(storageState === undefined ? {} : { storageState }) })
      const page = await context.newPage()
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(`${server.url}${path}`)
        await page.waitForTimeout(settleMs)
        await page.screenshot({ path: join(folder, `${name}-${screen}-${colorScheme}.png`), fullPage: screen === 'phone' })
      }
      await context.close()
    }
  }
}

const repair = async (session_id: string) => {
  const text = await readFile(join(root, 'scenarios/scenario-01/solutions/reference.yaml'), 'utf8')
  const { steps } = parse(text) as { steps: { in: string; run: string }[] }
  for (const step of steps) await server.call('POST', '/sandbox/exec', { session_id, container: step.in, command: step.run })
}

await mkdir(folder, { recursive: true })
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
try {
  const operator = await operatorState(browser)
  const { id, session_id = '' } = await server.start()
  const evaluate = () => server.call('POST', '/sandbox/eval', { session_id })
  await evaluate()
  await shoot(browser, { 'lab-failed': `/labs/${id}` }, operator)
  await repair(session_id)
  await evaluate()
  await shoot(
    browser,
    {
      ...{
        catalog: '/',
        course: '/courses/scenario-01',
        glossary: '/glossary',
        status: '/status',
        connect: '/connect',
        missing: '/nothing',
      },
      ...{ lab: `/labs/${id}`, report: `/labs/${id}/report`, replay: `/replays/${id}` },
      ...{ me: '/me', tokens: '/me/tokens', history: '/me/history', pricing: '/pricing', operator: '/operator' },
    },
    operator,
  )
  await shoot(browser, { signin: '/signin', 'catalog-visitor': '/', 'course-visitor': '/courses/scenario-01' })
} finally {
  await browser.close()
  await server.close()
}
process.exit(0)
