// Takes a screenshot of every page, light and dark, on a desktop and on a phone, from a server of its own with a lab that is opened,
// graded too early, repaired and graded again.
// Usage: node_modules/.bin/node web/pictures/screenshots.ts FOLDER

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openStage, referenceSteps, type SignedIn } from './stage.ts'

const folder = process.argv[2]
if (folder === undefined) throw new Error('say which folder the screenshots go to')

const themes = ['light', 'dark'] as const
const screens = { desktop: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } }
const settleMs = 2_500

const { server, browser, operator, close } = await openStage()

/** One picture for each theme and screen; the phone shows the whole page, as far as it scrolls. */
const shoot = async (pages: Readonly<Record<string, string>>, storageState?: SignedIn) => {
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

await mkdir(folder, { recursive: true })
try {
  const { id, session_id = '' } = await server.start()
  const evaluate = () => server.call('POST', '/sandbox/eval', { session_id })
  await evaluate()
  await shoot({ 'lab-failed': `/labs/${id}` }, operator)
  for (const step of await referenceSteps()) {
    await server.call('POST', '/sandbox/exec', { session_id, container: step.in, command: step.run })
  }
  await evaluate()
  await shoot(
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
  await shoot({ signin: '/signin', 'catalog-visitor': '/', 'course-visitor': '/courses/scenario-01' })
} finally {
  await close()
}
process.exit(0)
