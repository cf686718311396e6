// Benchmark: what the pages cost their reader (bytes, layout shift, paint, time until they can be used, on a slowed processor), and the
// echo of a keystroke through the whole stack compared with a terminal of `docker exec`: in a program with one in a program, in a page
// with one in a page that does nothing else.
// Usage: ./lab bench web [rounds]

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { readConfig } from '../src/config.ts'
import { basePath } from '../src/contract/api-version.ts'
import { connectDocker } from '../src/engine/docker/connection.ts'
import { inChromium } from '../test/support/chromium.ts'
import { echoInBarePage, echoInPage, echoOfDocker, echoOfSocket, watchKeys } from './lib/echo.ts'
import { median, milliseconds, quantile } from './lib/figures.ts'
import { measurePage, type PageFigures } from './lib/page-figures.ts'
import { type Figure, report } from './lib/report.ts'
import { startBenchServer } from './lib/server.ts'

const rounds = Number(process.argv[2] ?? 3)
const slowdown = 4
const keystrokes = 60
const mostBytes = 100_000
/** Below this, nothing moves that an eye could see. */
const noShift = 0.001
const mostEcho = 3
const desktop = { viewport: { width: 1280, height: 800 } }

const server = await startBenchServer({ LAB_POOL: '1' })
const docker = connectDocker(readConfig())

/** Opens a page in a browser that is signed in by the operator's link. */
const signedIn = async (look: (page: Page) => Promise<void>) => {
  const code = await server.signInCode()
  await inChromium(`${server.url}/glossary`, desktop, async ({ page }) => {
    const answer = await page.request.post(`${server.url}${basePath}/auth/local`, { data: { code }, headers: { origin: server.url } })
    if (!answer.ok()) throw new Error(await answer.text())
    await look(page)
  })
}

/** The first paint of a page, and the same page again, so that rounds differ only by chance. */
const loads = async (page: Page, path: string, slow: number): Promise<PageFigures[]> => {
  const figures: PageFigures[] = []
  for (let round = 0; round < rounds; round += 1) figures.push(await measurePage(page, `${server.url}${path}`, slow))
  return figures
}

const middle = (figures: readonly PageFigures[], key: keyof PageFigures) => median(figures.map((figure) => figure[key]))
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`

const pageRows = (name: string, usual: readonly PageFigures[], slowed: readonly PageFigures[]): Figure[] => {
  const shift = Math.max(...[...usual, ...slowed].map((figure) => figure.shift))
  const timeRow = (what: string, key: 'largestPaintMs' | 'interactiveMs'): Figure => ({
    what: `${name}: ${what}, processor slowed ${slowdown} times`,
    ours: milliseconds(middle(slowed, key)),
    baseline: `${milliseconds(middle(usual, key))} at full speed`,
    ratio: `${(middle(slowed, key) / middle(usual, key)).toFixed(2)}x`,
  })
  return [
    timeRow('largest paint', 'largestPaintMs'),
    timeRow('can be used', 'interactiveMs'),
    { what: `${name}: layout shift`, ours: shift.toFixed(4), target: 'none', met: shift < noShift },
  ]
}

const rows: Figure[] = []
const raw: Record<string, unknown> = {}
let bare: ChildProcess | undefined
try {
  const { session_id, id } = await server.start()
  await signedIn(async (page) => {
    for (const [name, path] of Object.entries({ catalog: '/', course: '/courses/scenario-01', lab: `/labs/${id}` })) {
      process.stderr.write(`${name}\n`)
      const [usual, slowed] = [await loads(page, path, 1), await loads(page, path, slowdown)]
      raw[name] = { usual, slowed }
      if (name === 'catalog') {
        const bytes = middle(usual, 'bytes')
        rows.push({ what: 'first load: document, scripts, styles', ours: kilobytes(bytes), target: '< 100 kB', met: bytes < mostBytes })
        rows.push({ what: 'first load: fonts beside it', ours: kilobytes(middle(usual, 'fontBytes')) })
      }
      rows.push(...pageRows(name, usual, slowed))
    }
  })

  process.stderr.write('echo\n')
  const [workstation] = await docker.listContainers({ filters: { name: [String(id)] } })
  const container = docker.getContainer(workstation?.Id as string)
  bare = fork(join(import.meta.dirname, 'lib/bare-terminal.ts'), [container.id])
  const barePort = await new Promise<number>((resolve) => bare?.once('message', (port) => resolve(port as number)))
  const [byDocker, bySocket] = [await echoOfDocker(container), await echoOfSocket(server.url, server.token, session_id as string)]
  const echoes = { docker: [] as number[], socket: [] as number[], bare: [] as number[], arrived: [] as number[], drawn: [] as number[] }
  await signedIn(async (page) => {
    await page.addInitScript(watchKeys)
    await page.goto(`${server.url}/labs/${id}`)
    await page
      .locator('.terminal-pane:not([hidden]) .xterm-rows > div', { hasText: /[#$] *$/ })
      .first()
      .waitFor()
    const barePage = await page.context().newPage()
    await barePage.goto(`http://localhost:${barePort}/`)
    await barePage.waitForFunction('document.title === "ready"')
    for (let round = 0; round < rounds; round += 1) {
      echoes.docker.push(...(await byDocker.measure(keystrokes)))
      echoes.socket.push(...(await bySocket.measure(keystrokes)))
      await barePage.bringToFront()
      echoes.bare.push(...(await echoInBarePage(barePage, keystrokes)))
      await page.bringToFront()
      const inPage = await echoInPage(page, keystrokes)
      echoes.arrived.push(...inPage.arrived)
      echoes.drawn.push(...inPage.drawn)
    }
  })
  byDocker.close()
  bySocket.close()
  raw['echoes'] = echoes
  const echoRow = (
    what: string,
    values: readonly number[],
    [where, against]: readonly [string, readonly number[]],
    isTarget: boolean,
  ): Figure => {
    const times = median(values) / median(against)
    return {
      what,
      ours: `${milliseconds(median(values))}, p95 ${milliseconds(quantile(values, 0.95))}`,
      baseline: `${milliseconds(median(against))} ${where}`,
      ratio: `${times.toFixed(2)}x`,
      ...(isTarget ? { target: `≤ ${mostEcho}x`, met: times <= mostEcho } : {}),
    }
  }
  const inProgram = ['docker exec terminal', echoes.docker] as const
  const inBarePage = ['docker exec terminal in a bare page', echoes.bare] as const
  rows.push(
    echoRow('echo of a keystroke in a program, over the WebSocket', echoes.socket, inProgram, true),
    echoRow('echo of a keystroke in a page', echoes.arrived, inBarePage, true),
    echoRow('echo of a keystroke in a page, against a program', echoes.arrived, inProgram, false),
    echoRow('echo of a keystroke in a page, until it is drawn', echoes.drawn, inBarePage, false),
  )
} finally {
  bare?.kill()
  await server.close()
}
await report('web', rows, raw)
process.exit(0)
