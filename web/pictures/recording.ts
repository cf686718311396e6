// Records a short drill in the browser: the incident is looked at, graded too early, repaired and proven.
// Usage: node_modules/.bin/node web/pictures/recording.ts FILE

import { writeFile } from 'node:fs/promises'
import { animate, type Frame } from './animation.ts'
import { openStage, referenceSteps } from './stage.ts'

const file = process.argv[2]
if (file === undefined) throw new Error('say which file the recording goes to')

const viewport = { width: 1000, height: 640 }
const frames: Frame[] = []
const { server, browser, operator, close } = await openStage()

try {
  const { id, session_id = '' } = await server.start()
  const context = await browser.newContext({ colorScheme: 'dark', viewport, storageState: operator })
  const page = await context.newPage()
  await page.goto(`${server.url}/labs/${id}`)
  const shown = page.locator('.terminal-pane:not([hidden])')
  const sees = (text: string | RegExp) => shown.locator('.xterm-rows > div', { hasText: text }).first().waitFor()
  const shoot = async (ms: number) => {
    frames.push({ png: await page.screenshot(), ms })
  }
  /** A command appears in two pieces, and then what it printed. */
  const run = async (command: string, printed: string | RegExp, ms = 2_000) => {
    await shown.locator('.xterm-helper-textarea').focus()
    const half = Math.ceil(command.length / 2)
    await page.keyboard.type(command.slice(0, half))
    await shoot(250)
    await page.keyboard.type(command.slice(half))
    await shoot(600)
    await page.keyboard.press('Enter')
    await sees(printed)
    await page.waitForTimeout(300)
    await shoot(ms)
  }
  const grade = async (decided: RegExp) => {
    await shown.locator('.xterm-helper-textarea').focus()
    await page.keyboard.press('Control+]')
    await page.keyboard.press('g')
    await page.waitForTimeout(400)
    await shoot(900)
    await page.locator('.strip-status', { hasText: decided }).waitFor({ timeout: 120_000 })
    await page.waitForTimeout(400)
    await shoot(3_000)
  }
  await sees(/[#$] *$/)
  await shoot(2_000)
  await run('curl -si http://web/api/sailings | head -1', /HTTP\/1\.1 502/)
  await grade(/Not repaired yet/)
  // How it is repaired is for the reader to find out.
  for (const step of await referenceSteps()) {
    await server.call('POST', '/sandbox/exec', { session_id, container: step.in, command: step.run })
  }
  await run('curl -si http://web/api/sailings | head -1', /HTTP\/1\.1 200/)
  await grade(/It is repaired/)
  await context.close()
} finally {
  await close()
}
const animation = animate(frames)
await writeFile(file, animation)
console.log(`${frames.length} frames, ${(animation.length / 1000).toFixed(0)} kB`)
process.exit(0)
