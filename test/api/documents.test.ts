// The documents at the root of each host: valid, consistent with the service, and without external resources.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createBrowserSessions } from '../../src/accounts/browser-sessions.ts'
import { readConfig } from '../../src/config.ts'
import { statusOf } from '../../src/errors.ts'
import type { Examples } from '../../src/http/documents/examples.ts'
import { openInstallation } from '../../src/installation.ts'
import { run } from '../../src/run-program.ts'
import { createMember } from '../support/accounts.ts'
import { openBrowser } from '../support/browser.ts'
import { inChromium } from '../support/chromium.ts'
import { root } from '../support/engine.ts'
import { normalised, shapeOf } from '../support/example-file.ts'
import { runExamples } from '../support/example-run.ts'
import { createSender } from '../support/http.ts'
import { createChecker, pathOnHost } from '../support/openapi.ts'
import { createClient, type Lab, runLab, smallCatalog, startLab } from '../support/server.ts'
import { type StripeServer, secretKey, startStripeServer, webhookSecret } from '../support/stripe-server.ts'
import { writesExamples } from '../support/test-mode.ts'

const publicUrl = 'https://incident-lab.test'
const metricsToken = 'only-for-the-metrics'
const directUrl = 'https://direct.incident-lab.test:8443'

/** The examples that are kept are of the default course; that answers have their shape shows on the small one. */
const catalog = writesExamples ? 'scenarios' : 'test/catalog'

let lab: Lab
let sender: ReturnType<typeof createSender>
let stripe: StripeServer

beforeAll(async () => {
  stripe = await startStripeServer()
  lab = await startLab({
    ...(writesExamples ? {} : smallCatalog),
    LAB_PAYMENTS: 'stripe',
    LAB_REQUIRE_PLAN: '1',
    LAB_STRIPE_SECRET_KEY: secretKey,
    LAB_STRIPE_WEBHOOK_SECRET: webhookSecret,
    LAB_STRIPE_API_URL: stripe.url,
    LAB_PUBLIC_URL: publicUrl,
    LAB_DIRECT_URL: directUrl,
    LAB_SECURITY_CONTACT: 'mailto:security@incident-lab.test',
    LAB_METRICS_TOKEN: metricsToken,
    LAB_CAPACITY: '1',
    LAB_QUEUE_MAX: '1',
    LAB_ACCOUNT_SANDBOXES: '2',
    LAB_RATE_LIMIT_SCALE: '100',
  })
  sender = createSender(lab.url, 4)
})
afterAll(async () => {
  sender?.close()
  await lab?.close()
  await stripe?.close()
})

const get = async (path: string, host = 'incident-lab.test', headers: Record<string, string> = {}) => {
  const answer = await sender.send({ method: 'GET', path, headers: { host, ...headers } })
  return { ...answer, json: () => JSON.parse(answer.text) }
}

interface Media {
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, unknown>>
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly servers?: readonly { readonly url: string }[]
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly description?: string; readonly example?: unknown }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, Media>> }>>
}

const operationsIn = (paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, method, ...operation })),
  )

/** The ways to fields of schemas that say nothing of themselves. */
const fieldsWithoutDescription = (value: unknown, way = ''): string[] => {
  if (Array.isArray(value)) return value.flatMap((part) => fieldsWithoutDescription(part, way))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => {
    if (['example', 'examples'].includes(key)) return []
    const bare =
      key !== 'properties'
        ? []
        : Object.entries<{ description?: string }>(part)
            .filter(([, field]) => field.description === undefined)
            .map(([name]) => `${way}.${name}`)
    return [...bare, ...fieldsWithoutDescription(part, `${way}.${key}`)]
  })
}

describe('two hosts', () => {
  it.each([
    ['incident-lab.test', publicUrl],
    ['direct.incident-lab.test:8443', directUrl],
    ['DIRECT.incident-lab.test:8443', directUrl],
    ['direct.incident-lab.test', publicUrl],
    ['evil.test', publicUrl],
    ['evil.test/direct.incident-lab.test:8443', publicUrl],
  ])('asked as %s, it is %s', async (host, expected) => {
    const refused = await get('/api/v1/sandbox', host)
    expect(refused.headers['www-authenticate']).toBe(`Bearer resource_metadata="${expected}/.well-known/oauth-protected-resource"`)
    expect((await get('/.well-known/oauth-protected-resource', host)).json().resource).toBe(`${expected}/api/v1`)
    expect((await get('/openapi.json', host)).json().servers[0].url).toBe(`${expected}/api/v1`)
    expect((await get('/.well-known/mcp.json', host)).json().endpoints.streamable_http).toBe(`${expected}/api/v1/mcp`)
    expect((await get('/api/v1/courses', host)).status).toBe(200)
  })

  it('both may be used for MCP, and no other', async () => {
    const ask = (host: string) =>
      sender.send({
        method: 'POST',
        path: '/api/v1/mcp',
        headers: { host, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      })
    for (const host of ['incident-lab.test', 'direct.incident-lab.test:8443']) expect((await ask(host)).status).toBe(200)
    expect((await ask('evil.test')).status).toBe(403)
  })
})

describe('well-known documents', () => {
  it('name what credentials are needed, and no authorization server', async () => {
    for (const suffix of ['', '/api/v1', '/api/v1/mcp']) {
      const { status, headers, json } = await get(`/.well-known/oauth-protected-resource${suffix}`)
      expect([status, headers['content-type']]).toEqual([200, 'application/json'])
      expect(json()).toEqual({
        resource: `${publicUrl}${suffix || '/api/v1'}`,
        resource_name: 'Incident Lab',
        bearer_methods_supported: ['header'],
        resource_documentation: `${publicUrl}/docs`,
      })
    }
  })

  it('list the APIs, for GET and HEAD', async () => {
    const { headers, json } = await get('/.well-known/api-catalog')
    expect(headers['content-type']).toBe('application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"')
    const { linkset } = json()
    expect(linkset.map(({ anchor }: { anchor: string }) => anchor)).toEqual([`${publicUrl}/api/v1`, `${publicUrl}/api/v1/mcp`])
    const links = linkset.flatMap((entry: Record<string, { href: string }[]>) => Object.values(entry).filter(Array.isArray).flat()) as {
      href: string
    }[]
    for (const { href } of links) expect((await get(href.slice(publicUrl.length))).status, href).toBe(200)
    expect((await sender.send({ method: 'HEAD', path: '/.well-known/api-catalog', headers: { host: 'x' } })).headers['content-type']).toBe(
      headers['content-type'],
    )
  })

  it('say whom to tell about a weakness', async () => {
    const { text, headers } = await get('/.well-known/security.txt')
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(text).toContain('Contact: mailto:security@incident-lab.test\n')
    const expires = Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? '')
    expect(expires - Date.now()).toBeGreaterThan(300 * 86_400_000)
  })

  it.each(['oauth-authorization-server', 'openid-configuration', 'acp.json', 'anything'])('/.well-known/%s is a JSON 404', async (name) => {
    const { status, headers, json } = await get(`/.well-known/${name}`)
    expect([status, headers['content-type'], json().error.code]).toEqual([404, 'application/json; charset=utf-8', 'not_found'])
  })

  it.each(['/register', '/token', '/api/v1/auth/token'])('%s is a JSON 404', async (path) => {
    expect(
      (await sender.send({ method: 'POST', path, headers: { host: 'x', 'content-type': 'application/json' }, body: '{}' })).status,
    ).toBe(404)
  })
})

describe('the OpenAPI document', () => {
  it('is clean to its linter', async () => {
    const file = join(lab.dataDir, 'openapi.json')
    await writeFile(file, (await get('/openapi.json')).text)
    const report = await run(process.execPath, [join(root, 'node_modules/@redocly/cli/bin/cli.js'), 'lint', file, '--format=json'])
    const { problems } = JSON.parse(report.slice(report.indexOf('{'))) as {
      problems: { ruleId: string; message: string; location: { pointer: string }[] }[]
    }
    /** A sign-in answers with a redirect, and with nothing else. */
    const isRedirect = ({ ruleId, location: [at] }: (typeof problems)[number]) =>
      ruleId === 'operation-2xx-response' && /^#\/paths\/~1auth~1(github|google)/.test(at?.pointer ?? '')
    expect(problems.filter((problem) => !isRedirect(problem))).toEqual([])
  })

  it('has every operation of the specification that is in service, each with an id, a summary and its errors', async () => {
    const { paths, openapi, info } = (await get('/openapi.json')).json()
    expect([openapi, info.version]).toEqual(['3.1.0', '1.0.0'])
    const operations = operationsIn(paths)
    expect(operations.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        ...[
          'GET /health',
          'GET /courses',
          'GET /courses/{courseId}',
          'GET /glossary',
          'GET /labs/capacity',
          'GET /settings/public',
          'GET /credits/packs',
        ],
        ...['POST /sandbox/start', 'POST /sandbox/eval', 'POST /batch', 'GET /jobs/{jobId}', 'DELETE /jobs/{jobId}'],
        ...['POST /auth/tokens', 'GET /auth/tokens', 'DELETE /auth/tokens', 'GET /sandbox/terminal'],
        ...['POST /checkout_sessions', 'GET /checkout_sessions', 'GET /checkout_sessions/{sessionId}', 'POST /webhooks/{provider}'],
        ...['POST /checkout_sessions/{sessionId}/complete', 'POST /checkout_sessions/{sessionId}/cancel'],
      ]),
    )
    const atRoot = operations.filter(({ servers }) => servers !== undefined)
    expect(atRoot.map(({ path }) => path.split('/')[1]).sort()).toEqual([...Array(7).fill('checkout_sessions'), 'webhooks'])
    for (const { name, servers } of atRoot)
      expect(
        servers?.map(({ url }) => url),
        name,
      ).toEqual([publicUrl, directUrl])
    for (const { name, responses } of operations)
      expect(Object.keys(responses), name).toEqual(expect.arrayContaining(['400', '401', '429', '500']))
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  })

  it('describes every tag, every parameter and every field, and names no other host', async () => {
    const { text, json } = await get('/openapi.json')
    const { paths, tags, components } = json()
    const operations = operationsIn(paths)
    const described = tags
      .filter(({ description }: { description: string }) => description !== '')
      .map(({ name }: { name: string }) => name)
    expect(described).toEqual(expect.arrayContaining(['Terminal', 'MCP', ...operations.flatMap((one) => one.tags)]))
    const bare = operations.flatMap(({ name, parameters = [] }) =>
      parameters.filter(({ description }) => description === undefined).map((parameter) => `${name} ${parameter.name}`),
    )
    expect([...bare, ...fieldsWithoutDescription([components.schemas, paths])]).toEqual([])
    expect(text).not.toMatch(/"pattern":"[^"]{60}/)
    const addresses = [...text.matchAll(/(?:https?|wss?):\/\/[^/"'`\s]+/g)].map(([address]) => address.replace(/^ws/, 'http'))
    const insideSandboxes = /^http:\/\/(web$|10\.)/
    expect(new Set(addresses.filter((address) => !insideSandboxes.test(address)))).toEqual(new Set([publicUrl, directUrl]))
  })

  it('leads from a 202 to the job', async () => {
    const { paths } = (await get('/openapi.json')).json()
    expect(paths['/sandbox/start'].post.responses[202].links.job).toMatchObject({
      operationId: 'readJob',
      parameters: { jobId: '$response.body#/job_id' },
    })
  })

  it('has an example for every request and every answer, and for every error', async () => {
    const document = (await get('/openapi.json')).json()
    const check = createChecker(document)
    const missing: string[] = []
    for (const { name, path, method, parameters = [], requestBody, responses, servers } of operationsIn(document.paths)) {
      if (requestBody !== undefined && requestBody.content['application/json']?.example === undefined) missing.push(`${name}: body`)
      for (const parameter of parameters) {
        if (parameter.in === 'path' && parameter.example === undefined) missing.push(`${name}: ${parameter.name}`)
      }
      for (const [status, response] of Object.entries(responses)) {
        const { content = {} } =
          response.$ref === undefined ? response : document.components.responses[response.$ref.split('/').at(-1) as string]
        for (const [type, { example, examples = {} }] of Object.entries<Media>(content)) {
          if (!/^[245]/.test(status)) continue
          const bodies = example === undefined ? Object.keys(examples).map((code) => document.components.examples[code].value) : [example]
          if (bodies.length === 0) missing.push(`${name}: ${status} ${type}`)
          for (const body of bodies)
            expect(check(method, pathOnHost(path, { servers }), Number(status), body), `${name} ${status}`).toBeNull()
        }
      }
    }
    expect(missing).toEqual([])
  })
})

describe('a drill', () => {
  // One that fails must not keep the only slot.
  afterEach(async () => {
    for (const { session_id } of (await lab.call('GET', '/api/v1/sandbox')).body.items) {
      await lab.call('POST', '/api/v1/sandbox/stop', { session_id })
    }
  })

  it('asks and answers as the examples of the document show', async () => {
    const inside = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
    const { accountId, token } = await createMember(inside, 'Member')
    const { store, clock } = inside
    const sessions = createBrowserSessions({ store: store.browserSessions, clock, limits: readConfig({}).limits })
    const memberBrowser = openBrowser(lab.url)
    const { value } = await sessions.open(accountId, 'curl/8')
    memberBrowser.cookies().set('__Host-lab_session', { value, path: '/', attributes: '' })
    const signInCode = async () => /\/signin#(\S+)/.exec((await runLab(['signin', '--data', lab.dataDir])).stdout)?.[1] ?? ''
    const member = createClient(lab.url, token)
    const openLab = await startLab(smallCatalog)
    const made = await runExamples({
      lab,
      openLab,
      nobody: createClient(lab.url),
      member,
      signInCode,
      memberBrowser,
      catalog,
      stripe,
    }).finally(openLab.close)
    await store.close()
    const file = join(root, 'src/http/documents/examples.json')
    const text = `${JSON.stringify(normalised(made, publicUrl), null, 2)}\n`
    if (writesExamples) await writeFile(file, text)
    const kept = JSON.parse(await readFile(file, 'utf8')) as Examples
    expect(shapeOf(kept)).toEqual(shapeOf(JSON.parse(text)))
    for (const secret of [lab.token, token]) expect(JSON.stringify(kept)).not.toContain(secret)
    expect(JSON.stringify(kept)).not.toMatch(/[0-9a-z]{16}\.[0-9a-z]{32}/)
  })

  it('can be done by following llms.txt to the letter', async () => {
    const { text } = await get('/llms.txt')
    const calls = [...text.matchAll(/```http\n([A-Z]+) (\S+)\n([^`]*)```\n\n(\d{3}) `([^`]+)`/g)]
    expect(calls.length).toBeGreaterThan(10)
    const known: Record<string, string> = {}
    const learn = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [key, part] of Object.entries(value)) {
        if (['session_id', 'id', 'job_id', 'command_id'].includes(key)) known[key.toUpperCase()] = part
        learn(part)
      }
    }
    for (const [, method = '', path = '', body = '', status, fields = ''] of calls) {
      const filled = (template: string) => template.replace(/\$([A-Z_]+)/g, (_, name: string) => known[name] ?? `no ${name}`)
      const ask = () => lab.call(method, `/api/v1${filled(path)}`, body === '' ? undefined : JSON.parse(filled(body)))
      let answer = await ask()
      while (path.startsWith('/jobs/') && ['queued', 'in_progress'].includes(answer.body.status)) {
        await new Promise((resolve) => setTimeout(resolve, answer.body.poll_after_seconds * 1000))
        answer = await ask()
      }
      expect([answer.status, answer.body.error], `${method} ${path}`).toEqual([Number(status), undefined])
      const names = shapeOf(answer.body).map((way) => way.split('.').at(-1))
      for (const [field] of fields.matchAll(/[a-z_]+/g)) expect(names, `${method} ${path}`).toContain(field)
      if (method === 'POST' || path.startsWith('/jobs/')) learn(answer.body)
    }
  })
})

describe('for people and models', () => {
  it('the root leads to the reference', async () => {
    const answer = await fetch(lab.url, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs'])
  })

  it('the reference is a program of this host, which browsers keep', async () => {
    for (const _ of ['made', 'kept']) {
      const { headers } = await get('/docs')
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; /)
    }
    const path = /<script src="([^"]+)">/.exec((await get('/docs')).text)?.[1] ?? ''
    const answer = await fetch(`${lab.url}${path}`, { headers: { 'accept-encoding': 'gzip' } })
    expect([answer.status, answer.headers.get('content-encoding'), answer.headers.get('cache-control')]).toEqual([
      200,
      'gzip',
      'public, max-age=31536000, immutable',
    ])
    const program = await answer.text()
    const plain = await get(path)
    expect([plain.headers['content-encoding'], plain.text === program]).toEqual([undefined, true])
    expect((await get(path, undefined, { 'if-none-match': String(plain.headers.etag) })).status).toBe(304)
  })

  it('the reference shows every operation, asks no other host, and sends requests with the token of its reader', async () => {
    const { paths, tags } = (await get('/openapi.json')).json()
    const desk = { viewport: { width: 1400, height: 900 } }
    await inChromium(`${lab.url}/docs#tag/sandboxes/GET/sandbox`, desk, async ({ page, foreign, complaints }) => {
      const contents = page.locator('nav, aside')
      for (const { name } of tags) await contents.getByText(name, { exact: true }).first().waitFor()
      for (const { summary } of operationsIn(paths).filter((one) => one.tags[0] === 'Sandboxes')) {
        await contents.getByText(summary, { exact: true }).first().waitFor()
      }
      const section = page.locator('section[id$="tag/sandboxes/GET/sandbox"]').first()
      await section.getByRole('button', { name: /Test Request/ }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByPlaceholder('Token').fill(lab.token)
      const sent = page.waitForResponse((response) => response.url().endsWith('/api/v1/sandbox'))
      await dialog.getByRole('button', { name: /^Send/ }).first().click()
      expect([(await sent).status(), (await sent).url()]).toEqual([200, `${lab.url}/api/v1/sandbox`])
      expect([foreign, complaints]).toEqual([[], []])
    })
  })

  it('the reference fits a phone, follows a dark screen, and can be searched', async () => {
    const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const
    await inChromium(`${lab.url}/docs`, phone, async ({ page, foreign, complaints }) => {
      await page.getByRole('heading', { name: 'A drill' }).first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
      expect(await page.evaluate('document.body.classList.contains("dark-mode")')).toBe(true)
      await page.setViewportSize({ width: 1400, height: 900 })
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('textbox').or(page.getByRole('combobox')).first().fill('grade the repair')
      await page.getByRole('dialog').getByText('Grade the repair').first().waitFor()
      expect([foreign, complaints]).toEqual([[], []])
    })
  })

  it('llms.txt leads to documents that are there, and fits into a context window', async () => {
    const { text } = await get('/llms.txt')
    expect(text).toMatch(/^# Incident Lab\n\n> .+\n/)
    expect(text.length).toBeLessThan(32_000)
    const { paths } = (await get('/openapi.json')).json()
    for (const { method, path, servers } of operationsIn(paths))
      expect(text).toContain(`- ${method.toUpperCase()} ${servers === undefined ? '' : publicUrl}${path}: `)
    const links = [...text.matchAll(/\]\((https:[^)]+)\)/g)].map(([, href]) => href as string)
    expect(links.length).toBeGreaterThan(4)
    for (const path of new Set(links.map((href) => new URL(href).pathname))) expect((await get(path)).status, path).toBe(200)
  })

  it('name tools of MCP that there are', async () => {
    const { tools } = (await get('/.well-known/mcp.json')).json()
    const texts = `${(await get('/llms.txt')).text} ${(await get('/openapi.json')).text}`
    const named = new Set([...texts.matchAll(/`([a-z_]*_(?:drill|sandbox))`/g)].map(([, name]) => name))
    expect(tools).toEqual(expect.arrayContaining([...named]))
    expect(named.size).toBeGreaterThanOrEqual(4)
  })

  it('are told apart by their ETag, for each host', async () => {
    const first = await get('/llms.txt')
    expect((await get('/llms.txt', 'incident-lab.test', { 'if-none-match': String(first.headers.etag) })).status).toBe(304)
    expect((await get('/llms.txt', 'direct.incident-lab.test:8443')).headers.etag).not.toBe(first.headers.etag)
  })
})

it('the page on the API names every error code, and none that there is not', async () => {
  const page = await readFile(join(root, 'docs/api.md'), 'utf8')
  const named = [...page.matchAll(/^\| (\d{3}) \| `([a-z_]+)` \|/gm)].map(([, status, code]) => [code, Number(status)])
  expect(named.sort()).toEqual(Object.entries(statusOf).sort())
})

it('the metrics count by route, and hold nothing of a request', async () => {
  await get('/api/v1/courses/a-course-that-is-not-there?secret=word')
  const { text, headers } = await get('/metrics', undefined, { authorization: `Bearer ${metricsToken}` })
  expect((await get('/metrics')).status).toBe(401)
  expect(headers['content-type']).toContain('text/plain')
  expect(text).toMatch(/incident_lab_http_requests_total\{method="GET",route="\/api\/v1\/courses\/:courseId",status="404"\} [1-9]/)
  expect(text).toMatch(/^incident_lab_sandboxes_total \d+$/m)
  expect(text).toMatch(/^incident_lab_sandboxes_queued 0$/m)
  expect(text).not.toMatch(/secret|a-course-that-is-not-there/)
})
