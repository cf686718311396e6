// Fuzzes every operation: never a 5xx, always a response that the OpenAPI document allows.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSender, type RawRequest } from '../support/http.ts'
import { type Checker, checkerOf, pathOnHost } from '../support/openapi.ts'
import { type Lab, smallCatalog, startLab } from '../support/server.ts'
import { deep } from '../support/test-mode.ts'

interface Parameter {
  readonly name: string
  readonly in: string
}
interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly fields: readonly string[]
}

const total = deep ? 100_000 : 3_000
const atOnce = 25

let lab: Lab
let check: Checker
let operations: Operation[]
let sender: ReturnType<typeof createSender>
let session: { session_id: string; id: string }

beforeAll(async () => {
  lab = await startLab({
    ...smallCatalog,
    LAB_PAYMENTS: 'local',
    LAB_CAPACITY: '1',
    LAB_ACCOUNT_SANDBOXES: '1',
    LAB_QUEUE_MAX: '2',
    LAB_LOG_LEVEL: 'error',
  })
  check = await checkerOf(lab.url)
  // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document of any shape
  const document: any = await (await fetch(`${lab.url}/openapi.json`)).json()
  const fieldsOf = (schema: { $ref?: string; properties?: object } | undefined): string[] =>
    Object.keys(
      (schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1) as string])?.properties ?? {},
    )
  interface Described {
    readonly parameters?: Parameter[]
    readonly requestBody?: { content: Record<string, { schema: object }> }
    readonly servers?: object[]
  }
  operations = Object.entries<Record<string, Described>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody, servers }]) => ({
      method: method.toUpperCase(),
      path: pathOnHost(path, { servers }),
      parameters,
      fields: fieldsOf(requestBody?.content['application/json']?.schema),
    })),
  )
  session = (await lab.call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })).body
  sender = createSender(lab.url, atOnce)
})
afterAll(async () => {
  sender?.close()
  await lab?.close()
})

/** Values that are valid somewhere in the service, among random ones. */
const texts = () =>
  fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 80 }) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        'scenario-01',
        'pro_monthly',
        'credits_10',
        'local',
        'https://example.com/',
        'beginner',
        'database',
        'true',
        '1',
        '0',
        '-1',
        '1e3',
        'NaN',
        '',
        ' ',
        '../..',
        '%2e%2e',
        '\0',
        'a'.repeat(3000),
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom(session.session_id, session.id, 'exit 3', '/tmp', 'ops', 'web') },
  )
const values = () =>
  fc.oneof(
    { weight: 3, arbitrary: texts() },
    { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 1, -1, 1e308, 2 ** 53, null, true, [], {}) },
  )

const items = () =>
  fc.array(
    fc.record(
      {
        method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD'),
        path: fc.oneof(fc.constantFrom('/health', '/courses', '/sandbox', '/jobs/x', '/sandbox/stop'), texts()),
        body: fc.oneof(fc.constant(undefined), fc.object({ maxDepth: 2 })),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 4 },
  )

const bodies = (fields: readonly string[]): fc.Arbitrary<string | Buffer | undefined> => {
  const some = fc
    .subarray([...fields])
    .chain((names) =>
      fc.record(Object.fromEntries(names.map((name) => [name, name === 'requests' ? fc.oneof(items(), values()) : values()]))),
    )
  const object = fc
    .tuple(some, fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.object({ maxDepth: 2 }) }))
    .map(([known, more]) => JSON.stringify({ ...more, ...known }))
  return fc.oneof(
    { weight: 6, arbitrary: object },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  )
}

const headers = () =>
  fc.record(
    {
      authorization: fc.oneof(
        { weight: 8, arbitrary: fc.constant(`Bearer ${lab.token}`) },
        { weight: 1, arbitrary: fc.constantFrom('Bearer', 'Bearer x', 'Basic eDp5', lab.token) },
      ),
      'content-type': fc.oneof(
        { weight: 8, arbitrary: fc.constant('application/json') },
        {
          weight: 1,
          arbitrary: fc.constantFrom('text/plain', 'application/json; charset=latin1', 'multipart/form-data', 'application/xml', '*', ''),
        },
      ),
      'api-version': fc.constantFrom('2026-11-15', '2020-01-01', 'x'),
      'idempotency-key': fc.oneof(fc.uuid(), fc.constantFrom('x', '"', '00000000-0000-0000-0000-000000000000')),
      'if-none-match': fc.constantFrom('*', '"x"', 'W/', ''),
    },
    { requiredKeys: ['authorization', 'content-type'] },
  )

const requests = () =>
  fc.constantFrom(...operations).chain((operation) => {
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
    const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
    const query = fc.array(fc.tuple(fc.oneof(fc.constantFrom('x', ...inQuery), fc.string({ maxLength: 10 })), texts()), { maxLength: 4 })
    return fc.record({
      method: fc.oneof(
        { weight: 9, arbitrary: fc.constant(operation.method) },
        { weight: 1, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD') },
      ),
      path: fc.tuple(fc.tuple(...inPath.map(() => texts())), query).map(([parameters, pairs]) => {
        const path = inPath.reduce(
          (url, { name }, index) => url.replace(`{${name}}`, encodeURIComponent(String(parameters[index]).toWellFormed()).slice(0, 300)),
          operation.path,
        )
        const search = new URLSearchParams(pairs.map(([name, value]) => [name, value]) as [string, string][]).toString()
        return `${path}${search === '' ? '' : `?${search}`}`
      }),
      headers: headers(),
      body: bodies(operation.fields),
    }) as fc.Arbitrary<RawRequest>
  })

/** Stopping the only sandbox, as its owner or as the operator, would make the rest of the run pointless; its events do not end. */
const isHarmless = ({ path, body }: RawRequest) =>
  !(String(body).includes(session.session_id) && /stop|batch/.test(path)) &&
  !path.includes(`/operator/sandboxes/${session.id}`) &&
  !path.includes(`/sandbox/${session.id}/events`)

const judge = async (sent: RawRequest) => {
  const { status, headers: received, text } = await sender.send(sent)
  const place = `${sent.method} ${sent.path} -> ${status} ${text.slice(0, 300)}`
  expect(status, place).toBeLessThan(500)
  expect(received['x-request-id'], place).toBeTruthy()
  const body = text === '' ? undefined : JSON.parse(text)
  if (sent.method !== 'HEAD') expect(check(sent.method, sent.path, status, body), place).toBeNull()
  expect(text, place).not.toMatch(/ {4}at |node_modules|node:internal/)
}

describe('fuzzing', () => {
  it(`${total} requests`, { timeout: 3_600_000 }, async () => {
    const property = fc.asyncProperty(fc.array(requests(), { minLength: atOnce, maxLength: atOnce }), async (batch) => {
      await Promise.all(batch.filter(isHarmless).map(judge))
    })
    const { failed, seed, counterexamplePath, errorInstance } = await fc.check(property, { numRuns: total / atOnce, endOnFailure: true })
    if (failed) throw new Error(`seed ${seed}, path ${counterexamplePath}`, { cause: errorInstance })
    expect((await lab.call('GET', '/api/v1/health')).body.status).toBe('ok')
    expect((await lab.call('POST', '/api/v1/sandbox/exec', { session_id: session.session_id, command: 'hostname' })).body.stdout).toBe(
      'ops\n',
    )
  })
})
