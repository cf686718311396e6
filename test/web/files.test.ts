// How the web app is served: pages for browsers and errors for programs, files by hashed name and nothing else, and the headers of both.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from '../support/browser.ts'
import { createSender } from '../support/http.ts'
import { startWebLab, type WebLab } from '../support/web.ts'

let lab: WebLab

beforeAll(async () => {
  lab = await startWebLab()
})
afterAll(() => lab?.close())

const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const get = (path: string, headers: Record<string, string> = {}) => ask(new URL(path, lab.url), { headers })
const pages = ['/', '/courses/scenario-01', '/labs/anything', '/glossary', '/status', '/connect']

const assetsOf = (html: string) => [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path as string)

describe('a page', () => {
  it.each(pages)('%s is HTML that runs only what this host serves', async (path) => {
    const { status, headers, text } = await get(path, asBrowser)
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
    expect([headers['referrer-policy'], headers['x-content-type-options'], headers['cache-control']]).toEqual([
      ...['no-referrer', 'nosniff', 'no-cache'],
    ])
    expect(headers.vary).toBe('accept, accept-encoding, cookie')
    expect(text).not.toMatch(/<style|style=|<script>|onload=/)
    expect(text).not.toMatch(/(?:src|href)="(?!\/)/)
  })

  it.each(pages.slice(1))('%s is an error for programs', async (path) => {
    const { status, body } = await get(path)
    expect([status, body.error.code, body.error.resolution_hint]).toEqual([404, 'not_found', expect.stringContaining('/api/v1')])
  })

  it('is kept by the browser as long as it has not changed', async () => {
    const { headers } = await get('/', asBrowser)
    const again = await get('/glossary', { ...asBrowser, 'if-none-match': headers.etag as string })
    expect([again.status, again.text]).toEqual([304, ''])
  })

  it('knows whether somebody is signed in, for nobody else to see', async () => {
    const { cookie, token } = await lab.signIn()
    const nobody = await get('/', asBrowser)
    expect(nobody.text).not.toContain('data-account')
    const somebody = await get('/', { ...asBrowser, cookie: `lab_session=${cookie}` })
    expect(somebody.text).toContain('data-account="yes"')
    expect(somebody.headers['cache-control']).toBe('private, no-cache')
    expect(somebody.headers.etag).not.toBe(nobody.headers.etag)
    const program = await get('/', { ...asBrowser, authorization: `Bearer ${token}` })
    expect(program.text).not.toContain('data-account')
    const ended = await get('/', { ...asBrowser, cookie: 'lab_session=0000000000000000000000000000000000000000000' })
    expect(ended.text).not.toContain('data-account')
    expect(ended.headers['cache-control']).toBe('no-store')
  })

  it('takes no other method', async () => {
    for (const path of pages) {
      const { status, headers } = await ask(new URL(path, lab.url), { method: 'POST', headers: asBrowser })
      expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
    }
  })
})

describe('an address that does not exist', () => {
  it('is a page for browsers, and an error for programs', async () => {
    for (const path of [
      '/courses/unknown',
      '/courses/unknown/',
      '/courses/%00',
      '/courses/Scenario-01',
      '/nothing',
      '/courses',
      '/courses/a/b',
      '/glossary/x',
      '/.env',
      '/%2e%2e/package.json',
    ]) {
      const page = await get(path, asBrowser)
      expect([page.status, page.headers['content-type'], page.text.includes('id="app"')]).toEqual([404, 'text/html; charset=utf-8', true])
      const error = await get(path)
      expect([error.status, error.body.error.code]).toEqual([404, 'not_found'])
    }
  })

  it.each(['/api/v1/nothing', '/.well-known/nothing', '/assets/nothing.js', '/assets/a/b.js'])(
    '%s is an error, whoever asks',
    async (path) => {
      const { status, body } = await get(path, asBrowser)
      expect([status, body.error.code]).toEqual([404, 'not_found'])
    },
  )

  it('is no page for a write', async () => {
    const { status, body } = await ask(new URL('/nothing', lab.url), { method: 'POST', headers: asBrowser })
    expect([status, body.error.code]).toEqual([404, 'not_found'])
  })
})

describe('a file', () => {
  it('has its type, is kept for good, and comes compressed', async () => {
    const paths = assetsOf((await get('/', asBrowser)).text)
    expect([...new Set(paths.map((path) => path.split('.').at(-1)))].sort()).toEqual(['css', 'js', 'svg', 'woff2'])
    const types: Record<string, string> = {
      css: 'text/css; charset=utf-8',
      js: 'text/javascript; charset=utf-8',
      svg: 'image/svg+xml',
      woff2: 'font/woff2',
    }
    const { send, close } = createSender(lab.url, 1)
    for (const path of paths) {
      const plain = await get(path)
      const ending = path.split('.').at(-1) as string
      expect([
        plain.status,
        plain.headers['content-type'],
        plain.headers['cache-control'],
        plain.headers['x-content-type-options'],
      ]).toEqual([...[200, types[ending], 'public, max-age=31536000, immutable', 'nosniff']])
      const packed = await fetch(`${lab.url}${path}`, { headers: { 'accept-encoding': 'gzip' } })
      expect(packed.headers.get('content-encoding')).toBe(ending === 'woff2' ? null : 'gzip')
      const again = await send({ method: 'GET', path, headers: { 'if-none-match': plain.headers.etag as string } })
      expect([again.status, again.text]).toEqual([304, ''])
    }
    close()
  })

  it('is small enough for the first load', async () => {
    const { text } = await get('/', asBrowser)
    const { send, close } = createSender(lab.url, 1)
    let bytes = 0
    for (const path of assetsOf(text).filter((name) => !name.endsWith('.woff2'))) {
      const { headers } = await send({ method: 'GET', path, headers: { 'accept-encoding': 'gzip' } })
      bytes += Number(headers['content-length'])
    }
    close()
    expect(bytes).toBeGreaterThan(10_000)
    expect(bytes).toBeLessThan(100_000)
  })

  it('exists in the build, or not at all', async () => {
    const { send, close } = createSender(lab.url, 1)
    const tries = [
      ...['/assets/', '/assets/nothing.js', '/assets/index.html', '/assets/__proto__', '/assets/constructor', '/index.html'],
      ...['/assets/../index.html', '/assets/../../package.json', '/assets/..%2f..%2fpackage.json', '/assets/%2e%2e/%2e%2e/package.json'],
      ...[
        '/assets/..%5c..%5cpackage.json',
        '/assets/%2fetc%2fpasswd',
        '/assets//etc/passwd',
        '/assets/.%00.js',
        '/web/dist',
        '/src/main.tsx',
      ],
    ]
    for (const path of tries) {
      const { status, text } = await send({ method: 'GET', path })
      expect([path, status]).toEqual([path, 404])
      expect(text).toContain('not_found')
    }
    close()
  })
})
