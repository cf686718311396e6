// What the scripts for pictures share: a server of its own, a browser, and the operator signed in.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'
import { parse } from 'yaml'
import { startBenchServer } from '../../bench/lib/server.ts'

const root = join(import.meta.dirname, '../..')

/** How a browser knows who is signed in. */
export type SignedIn = Awaited<ReturnType<BrowserContext['storageState']>>

/** The commands of the reference solution of the first course. */
export const referenceSteps = async (): Promise<{ in: string; run: string }[]> =>
  parse(await readFile(join(root, 'scenarios/scenario-01/solutions/reference.yaml'), 'utf8')).steps

export const openStage = async () => {
  const server = await startBenchServer({ LAB_POOL: '1', LAB_EVALUATION_SPACING_SECONDS: '0' })
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
  const signIn = async (): Promise<SignedIn> => {
    const context = await browser.newContext()
    const data = { code: await server.signInCode() }
    const answer = await context.request.post(`${server.url}/api/v1/auth/local`, { data, headers: { origin: server.url } })
    if (!answer.ok()) throw new Error(await answer.text())
    const state = await context.storageState()
    await context.close()
    return state
  }
  return {
    server,
    browser,
    operator: await signIn(),
    close: async () => {
      await browser.close()
      await server.close()
    },
  }
}
