// A server for tests of the web app, with a catalog of its own: a small default course, and one whose every text holds markup.

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { createBrowserSessions } from '../../src/accounts/browser-sessions.ts'
import { readConfig } from '../../src/config.ts'
import { type Installation, openInstallation } from '../../src/installation.ts'
import { createMember } from './accounts.ts'
import { inChromium, type WatchedPage } from './chromium.ts'
import { root } from './engine.ts'
import { startLab } from './server.ts'

/** What would run if a page took the text of an author for markup. */
export const attack = '<img src=x onerror="document.title=`broken into`"><script>document.title=`broken into`</script>'

const proof = join(root, 'scenarios/scenario-01/proof.json')
const small = join(root, 'test/catalog/scenario-01')

/** The value of a key at the beginning of a line. */
const withValue = (yaml: string, key: string, value: string) => yaml.replace(new RegExp(`^${key}: .*$`, 'm'), `${key}: ${value}`)

const writeMarkupCourse = async (folder: string): Promise<void> => {
  await cp(small, folder, { recursive: true })
  const text = JSON.stringify(`Texts with markup ${attack}`)
  let yaml = await readFile(join(folder, 'scenario.yaml'), 'utf8')
  yaml = withValue(yaml, 'id', 'markup-01')
  yaml = withValue(yaml, 'kind', 'foundation')
  yaml = withValue(yaml, 'tier', 'expert\naccess: pro')
  for (const key of ['title', 'description', 'symptom', 'impact']) yaml = withValue(yaml, key, text)
  yaml = withValue(yaml, 'learning_objectives', `[${text}]`)
  yaml = withValue(yaml, 'stack', `[nginx, ${text}]`)
  yaml = yaml.replace('role: site', `role: ${text}`)
  await writeFile(join(folder, 'scenario.yaml'), yaml)
  await writeFile(
    join(folder, 'brief.md'),
    `# Title\n\n${attack}\n\n[a link](javascript:alert(1)) and \`${attack}\`\n\n| ${attack} |\n|---|\n| x |\n`,
  )
  await cp(proof, join(folder, 'proof.json'))
}

/** A new account with a signed-in browser: the value of its cookie. */
export const signInTo = async (inside: Installation, name?: string) => {
  const { accountId, token } = await createMember(inside, name)
  return { accountId, token, cookie: await openSession(inside, accountId) }
}

/** Another signed-in browser of an account: the value of its cookie. */
export const openSession = async ({ store, clock }: Installation, accountId: string): Promise<string> =>
  (await createBrowserSessions({ store: store.browserSessions, clock, limits: readConfig({}).limits }).open(accountId, 'curl/8')).value

/** `close` leaves nothing of it. */
export const startWebLab = async (environment: Record<string, string> = {}) => {
  const catalog = await mkdtemp(join(tmpdir(), 'incident-lab-catalog-'))
  await cp(small, join(catalog, 'scenario-01'), { recursive: true })
  await cp(proof, join(catalog, 'scenario-01', 'proof.json'))
  await writeMarkupCourse(join(catalog, 'markup-01'))
  const lab = await startLab({ LAB_SCENARIOS_DIR: catalog, ...environment })
  const inside = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
  return {
    ...lab,
    inside,
    signIn: (name?: string) => signInTo(inside, name),
    signInOperator: async () => openSession(inside, (await inside.accounts.operator()).accountId),
    close: async () => {
      await inside.store.close()
      await lab.close()
      await rm(catalog, { recursive: true, force: true })
    },
  }
}

export type WebLab = Awaited<ReturnType<typeof startWebLab>>

export const phone = { viewport: { width: 360, height: 740 } }
export const desktop = { viewport: { width: 1280, height: 800 } }

/** The status of a page that does not exist is an error in the eyes of the browser's console. */
const isStatusOfPage = (complaint: string) => complaint.includes('status of 404')
/** What xterm.js says of a machine that is busy with something else. */
const isAboutTime = (complaint: string) => complaint.startsWith('task queue exceeded allotted deadline')

/** Shows a page of the lab, and fails where it asked another host, broke its policy or met an error that is not tolerated. */
export const visit = (
  lab: Pick<WebLab, 'url'>,
  path: string,
  options: Parameters<typeof inChromium>[1] & { readonly cookie?: string; readonly tolerated?: RegExp },
  look: (page: Page) => Promise<void>,
): Promise<void> => {
  const { cookie, tolerated, ...context } = options
  const state = { cookies: [{ name: 'lab_session', value: cookie ?? '', domain: new URL(lab.url).hostname, path: '/' }], origins: [] }
  const signedIn = cookie === undefined ? {} : { storageState: { ...state, cookies: state.cookies.map(asStored) } }
  return inChromium(`${lab.url}${path}`, { ...context, ...signedIn }, async ({ page, foreign, complaints }: WatchedPage) => {
    await look(page)
    if (foreign.length > 0) throw new Error(`it asked ${foreign.join(', ')}`)
    const serious = complaints.filter(
      (complaint) => !isStatusOfPage(complaint) && !isAboutTime(complaint) && tolerated?.test(complaint) !== true,
    )
    if (serious.length > 0) throw new Error(`the browser complained: ${serious.join('; ')}`)
  })
}

const asStored = (cookie: { name: string; value: string; domain: string; path: string }) => ({
  ...cookie,
  ...{ expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' as const },
})
