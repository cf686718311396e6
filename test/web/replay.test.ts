// What is left of an attempt, in a real browser: the replay, the report, and the link that shows both to others. Every visit fails where
// the page breaks its policy, asks another host or logs an error.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SandboxSession } from '../../src/contract/sandbox.ts'
import { problemsOf } from '../support/axe.ts'
import { createClient } from '../support/server.ts'
import { attack, desktop, phone, startWebLab, visit, type WebLab } from '../support/web.ts'
import { runCommand, shows, typeInto } from '../support/web-terminal.ts'

let lab: WebLab
let call: ReturnType<typeof createClient>
let session: SandboxSession
let signedIn: typeof desktop & { readonly cookie: string }

/** What a hostile program prints: markup, a title, the clipboard, a link, and work without end for the page. */
const hostile = [
  `<img src=x onerror=alert(1)>`,
  '\\033]0;broken into\\007',
  '\\033]52;c;YnJva2VuIGludG8=\\007',
  '\\033]8;;https://evil.example\\007a-link\\033]8;;\\007',
  'x\\033[2147483647b\\033[2147483647L\\033[2147483647S',
].join('')

beforeAll(async () => {
  lab = await startWebLab({ LAB_EVALUATION_SPACING_SECONDS: '0', LAB_ACCOUNT_SANDBOXES: '3' })
  const { token, cookie } = await lab.signIn(`Ada ${attack}`)
  call = createClient(lab.url, token)
  signedIn = { ...desktop, cookie }
  session = (await call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })).body
})
afterAll(async () => {
  if (session !== undefined) await call('POST', '/api/v1/sandbox/stop', { session_id: session.session_id })
  await lab?.close()
})

const replay = () => `/replays/${session.id}`
const report = () => `/labs/${session.id}/report`
const screen = async (page: Page) => (await page.locator('.xterm-rows > div').allTextContents()).join('\n').replaceAll('\u00a0', ' ')
const sees = (page: Page, text: string) => expect.poll(() => screen(page)).toContain(text)
const chip = (page: Page, name: RegExp) => page.getByRole('button', { name }).first()
const opened = async (page: Page) => {
  await page.locator('.replay-stops button', { hasText: 'echo third-' }).waitFor()
}

it('an attempt is typed, hinted, and graded twice', async () => {
  const { session_id } = session
  await visit(lab, `/labs/${session.id}`, signedIn, async (page) => {
    await runCommand(page, 'echo first-$((1 + 1))', 'first-2')
    await runCommand(page, `printf '${hostile}\\n'; echo second-$((1 + 1))`, 'second-2')
    await runCommand(page, 'echo third-$((1 + 1))', 'third-2')
  })
  await call('POST', '/api/v1/sandbox/hint', { session_id })
  await call('POST', '/api/v1/sandbox/eval', { session_id })
  const command = 'mv /srv/index.html /srv/www/index.html'
  await call('POST', '/api/v1/sandbox/exec', { session_id, container: 'web', command })
  expect((await call('POST', '/api/v1/sandbox/eval', { session_id })).body.passed).toBe(true)
})

describe('a replay', () => {
  it('plays, pauses, seeks by slider, key and command, and is downloaded', async () => {
    await visit(lab, replay(), signedIn, async (page) => {
      await opened(page)
      const time = () => page.locator('.replay-time').textContent()
      expect(await time()).toMatch(/^0:00 \/ \d+:\d\d$/)
      await sees(page, 'third-2')
      await page.getByLabel('Speed').selectOption('0.5')
      await page.locator('h1').click()
      await page.keyboard.press(' ')
      await expect.poll(() => screen(page)).not.toContain('third-2')
      await page.getByRole('button', { name: 'Pause' }).click()
      await page.getByLabel('Speed').selectOption('8')
      await page.getByRole('button', { name: 'Play' }).click()
      await sees(page, 'third-2')

      await page.keyboard.press('Home')
      await expect.poll(() => screen(page)).not.toContain('first-2')
      expect(await time()).toMatch(/^0:00/)
      await page.getByLabel('Position').press('End')
      await sees(page, 'third-2')
      await page.locator('.replay-stops button', { hasText: 'echo second-' }).click()
      await sees(page, 'first-2')
      expect(await screen(page)).not.toContain('third-2')
      await page.getByRole('button', { name: 'Next', exact: true }).click()
      await expect.poll(() => page.locator('.replay-stops [aria-current]').textContent()).toContain('echo third-')

      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download as asciicast' }).click()])
      expect(file.suggestedFilename()).toMatch(/^scenario-01-ops-\w+\.cast$/)
    })
  })

  it('has the commands of the API, as the recording marks them', async () => {
    await visit(lab, replay(), signedIn, async (page) => {
      await chip(page, /^commands by the API/).click()
      await page.locator('.replay-stops button', { hasText: 'root@web# mv /srv/index.html /srv/www/index.html' }).click()
      await sees(page, 'root@web# mv /srv/index.html')
    })
  })

  it('shows what a hostile program printed as text, and does nothing else with it', async () => {
    await visit(lab, replay(), signedIn, async (page) => {
      await opened(page)
      await page.keyboard.press('End')
      await sees(page, '<img src=x onerror=alert(1)>')
      await sees(page, 'a-link')
      await sees(page, 'third-2')
      expect(await page.title()).toMatch(/^Replay: The site has lost its page/)
      expect(await page.locator('.xterm img, .xterm a').count()).toBe(0)
      await page.locator('.xterm-rows').getByText('a-link').first().click({ force: true })
      expect(page.context().pages()).toHaveLength(1)
    })
  })

  it('says honestly that a recording is broken', async () => {
    for (const [body, said] of [
      ['no recording at all', 'its beginning cannot be read'],
      ['{"version":2,"width":80,"height":24}\n[1,"o","as far as this"]\n[0,"o","back', 'cannot be read from line 3 on'],
    ] as const) {
      await visit(lab, '/', signedIn, async (page) => {
        await page.route('**/recordings/*', (route) => route.fulfill({ body, contentType: 'application/x-asciicast' }))
        await page.goto(`${lab.url}${replay()}`)
        await page.getByText(said).waitFor()
      })
    }
  })
})

describe('a report', () => {
  it('tells who, how long, the steps, hints, commands and the debrief, and prints on one page', async () => {
    await visit(lab, report(), signedIn, async (page) => {
      await page.getByText('Repaired: all seven steps held.').waitFor()
      await page.locator('.report-commands li', { hasText: 'echo second-' }).waitFor()
      await page.locator('.report-commands li', { hasText: 'root@web# mv /srv/index.html' }).waitFor()
      expect(await page.locator('.report .result-held').count()).toBe(7)
      expect(await page.locator('.report-facts').textContent()).toMatch(
        /Ada <img[\s\S]*Time to repair\d[\s\S]*Evaluations2[\s\S]*hint 1 at [\s\S]*Assistedno/,
      )
      await page.getByText('The page had been moved to /srv.').waitFor()
      expect(await page.title()).toMatch(/^Report: /)
      const pdf = (await page.pdf()).toString('latin1')
      expect(pdf.match(/\/Type \/Page\b(?!s)/g)).toHaveLength(1)
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      expect(await page.locator('.header').isVisible()).toBe(false)
      expect(await page.evaluate("getComputedStyle(document.querySelector('.report h1')).color")).toBe('rgb(0, 0, 0)')
    })
  })

  it('is shared by a link, which is gone as soon as it is switched off', async () => {
    let link = ''
    await visit(lab, report(), signedIn, async (page) => {
      await page.getByRole('button', { name: 'Make a link' }).click()
      await page.getByText('The link is shown only now').waitFor()
      link = (await page.locator('.share').textContent())?.match(/http\S+#[\w-]{43}/)?.[0] ?? ''
    })
    const path = link.slice(lab.url.length)
    expect(path).toMatch(/^\/shared\/report#/)
    await visit(lab, path, desktop, async (page) => {
      await page.getByText('Repaired: all seven steps held.').waitFor()
      expect(await page.getByText('The page had been moved to /srv.').count()).toBe(0)
      expect(await page.getByRole('button', { name: /link|sharing/i }).count()).toBe(0)
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url(), ...Object.values(request.headers())))
      await page.getByRole('link', { name: 'Watch the replay' }).click()
      await opened(page)
      await page.keyboard.press('End')
      await sees(page, 'third-2')
      expect(asked.filter((text) => text.includes(path.split('#')[1] ?? ''))).toEqual([])
    })
    await visit(lab, report(), signedIn, async (page) => {
      await page.getByRole('button', { name: 'Stop sharing' }).click()
      await page.getByText('It is not shared.').waitFor()
    })
    await visit(lab, path, desktop, async (page) => {
      await page.getByText('Nothing is shared by this link.').waitFor()
    })
  })

  it('that is open leaves the page when the link is switched off: at the next look, and after a while', async () => {
    const share = async () => (await call('POST', `/api/v1/sandbox/${session.id}/share`)).body.share_url.slice(lab.url.length)
    const switchOff = () => call('DELETE', `/api/v1/sandbox/${session.id}/share`)
    const isGone = async (page: Page) => {
      await page.getByRole('alert').getByText('The link was switched off.').waitFor()
      expect(await page.locator('main').textContent()).not.toMatch(/Repaired|Ada|third-/)
    }
    await visit(lab, await share(), desktop, async (page) => {
      await page.getByText('Repaired: all seven steps held.').waitFor()
      await switchOff()
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))") // what a browser says of a tab that is shown again
      await isGone(page)
    })
    await visit(lab, '/status', desktop, async (page) => {
      await page.clock.install()
      await page.goto(`${lab.url}${(await share()).replace('/shared/report', '/shared/replay')}`)
      await opened(page)
      await switchOff()
      await page.clock.fastForward(60_000)
      await isGone(page)
    })
  })

  it('of another account is not there', async () => {
    const { cookie } = await lab.signIn()
    await visit(lab, report(), { ...desktop, cookie }, async (page) => {
      await page.getByText('There is no such attempt of yours.').waitFor()
    })
    await visit(lab, report(), desktop, async (page) => {
      await page.getByRole('link', { name: 'Sign in to see it' }).waitFor()
    })
  })
})

describe('texts of others', () => {
  it('are text in the lab, in the report and in the replay of a hostile course', async () => {
    const { body } = await call('POST', '/api/v1/sandbox/start', { course_id: 'markup-01' })
    await call('POST', '/api/v1/sandbox/exec', { session_id: body.session_id, command: `echo '${attack}'` })
    const looks: [path: string, ready: string][] = [
      [`/labs/${body.id}`, '.ticket'],
      [`/labs/${body.id}/report`, '.report-commands li'],
      [`/replays/${body.id}`, '.replay-stops li'],
    ]
    await visit(lab, '/', signedIn, async (page) => {
      for (const [path, ready] of looks) {
        await page.goto(`${lab.url}${path}`)
        await page.locator(ready).first().waitFor()
        await page.getByText('Texts with markup <img').first().waitFor()
        expect(await page.locator('main img, main script, a[href^="javascript:"]').count(), path).toBe(0)
        expect(await page.title()).not.toBe('broken into')
      }
      await page.goto(`${lab.url}/labs/${body.id}`)
      await shows(page, '$', '#')
      await typeInto(page, '\x1dh')
      await page.locator('.hints li').first().waitFor()
      expect(await page.locator('main img, main script').count()).toBe(0)
    })
    await call('POST', '/api/v1/sandbox/stop', { session_id: body.session_id })
  })
})

it('axe-core finds nothing, and nothing is wider than a phone', async () => {
  const found: string[] = []
  const isNoWider = async (page: Page) => {
    await page.setViewportSize(phone.viewport)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.setViewportSize(desktop.viewport)
  }
  await visit(lab, report(), { ...signedIn, ...desktop }, async (page) => {
    await page.locator('.report-commands li').first().waitFor()
    found.push(...(await problemsOf(page)))
    await isNoWider(page)
    await page.goto(`${lab.url}${replay()}`)
    await opened(page)
    await page.keyboard.press('End')
    await sees(page, 'third-2')
    found.push(...(await problemsOf(page)))
    await isNoWider(page)
  })
  expect(found).toEqual([])
})
