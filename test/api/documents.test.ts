// The documents at the root of each host: valid, consistent with the service, and without external resources.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statusOf } from '../../src/errors.ts'
import { run } from '../../src/run-program.ts'
import { root } from '../support/engine.ts'
import { createSender } from '../support/http.ts'
import { type Lab, startLab } from '../support/server.ts'

const publicUrl = 'https://incident-lab.test'
const metricsToken = 'only-for-the-metrics'
const directUrl = 'https://direct.incident-lab.test:8443'

let lab: Lab
let sender: ReturnType<typeof createSender>

beforeAll(async () => {
  lab = await startLab({
    LAB_PUBLIC_URL: publicUrl,
    LAB_DIRECT_URL: directUrl,
    LAB_SECURITY_CONTACT: 'mailto:security@incident-lab.test',
    LAB_METRICS_TOKEN: metricsToken,
  })
  sender = createSender(lab.url, 4)
})
afterAll(async () => {
  sender?.close()
  await lab?.close()
})

const get = async (path: string, host = 'incident-lab.test', headers: Record<string, string> = {}) => {
  const answer = await sender.send({ method: 'GET', path, headers: { host, ...headers } })
  return { ...answer, json: () => JSON.parse(answer.text) }
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
    const { paths, openapi } = (await get('/openapi.json')).json()
    expect(openapi).toBe('3.1.0')
    const operations = Object.entries<Record<string, { operationId: string; responses: Record<string, object> }>>(paths).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, ...operation })),
    )
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
        ...['POST /auth/tokens', 'GET /auth/tokens', 'DELETE /auth/tokens'],
      ]),
    )
    for (const { name, responses } of operations)
      expect(Object.keys(responses), name).toEqual(expect.arrayContaining(['400', '401', '429', '500']))
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  })
})

describe('for people and models', () => {
  it('the reference names every operation, has no scripts and loads nothing from other hosts', async () => {
    for (const _ of ['made', 'kept']) {
      const { text, headers } = await get('/docs')
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(headers['content-security-policy']).toContain("default-src 'none'")
      expect(text).not.toMatch(/<script|<iframe|<img|@import/i)
    }
    const { text } = await get('/docs')
    const { paths } = (await get('/openapi.json')).json()
    for (const methods of Object.values<Record<string, { operationId: string }>>(paths)) {
      for (const { operationId } of Object.values(methods)) expect(text).toContain(`id="${operationId}"`)
    }
  })

  it('llms.txt leads to documents that are there', async () => {
    const { text } = await get('/llms.txt')
    expect(text).toMatch(/^# Incident Lab\n\n> .+\n/)
    const links = [...text.matchAll(/\]\((https:[^)]+)\)/g)].map(([, href]) => href as string)
    expect(links.length).toBeGreaterThan(20)
    for (const path of new Set(links.map((href) => new URL(href).pathname))) expect([200, 405], path).toContain((await get(path)).status)
  })

  it('are told apart by their ETag, for each host', async () => {
    const first = await get('/llms.txt')
    expect((await get('/llms.txt', 'incident-lab.test', { 'if-none-match': String(first.headers.etag) })).status).toBe(304)
    expect((await get('/llms.txt', 'direct.incident-lab.test:8443')).headers.etag).not.toBe(first.headers.etag)
  })
})

it('the page on the API names every error code, and none that there is not', async () => {
  const page = await readFile(join(root, 'docs/api.md'), 'utf8')
  const table = page.slice(page.indexOf('## Errors'), page.indexOf('## Lists'))
  const named = [...table.matchAll(/`([a-z]+(?:_[a-z]+)*)`/g)].map(([, code]) => code as string).filter((code) => code !== 'code')
  expect(named.sort()).toEqual(Object.keys(statusOf).sort())
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
