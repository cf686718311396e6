import { stripTypeScriptTypes } from 'node:module'
import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { type LimitValues, limitDefinitions } from '../../contract/limits.ts'
import { publicLimitsOf } from '../../contract/public-limits.ts'
import { errorMeanings, errorRows } from '../../error-meanings.ts'
import { statusOf } from '../../errors.ts'
import { createHosts } from '../../hosts.ts'
import { withSample } from './code-samples.ts'
import { serveDocuments } from './documents.ts'
import { guideOf } from './guide.ts'
import { llmsText } from './llms.ts'
import type { OpenApiDocument, OperationObject } from './openapi-types.ts'
import { referencePage, referencePolicy } from './reference.ts'
import { cleanUpSchemas } from './schema-cleanup.ts'
import { shareResponses } from './shared-responses.ts'
import { fill } from './template.ts'
import { terminalOperation } from './terminal-operation.ts'
import { valuesOf } from './values.ts'

const numbers = {
  limits: publicLimitsOf(Object.fromEntries(Object.keys(limitDefinitions).map((key) => [key, 7])) as LimitValues),
  rates: null,
  requiresPlan: false,
}
const values = valuesOf('https://lab.example', numbers)

const operation = (operationId: string, more: Partial<OperationObject> = {}): OperationObject => ({
  operationId,
  summary: `Summary of ${operationId}`,
  tags: ['Things'],
  security: [{ bearer: [] }],
  responses: { 200: { description: 'Done', content: { 'application/json': { schema: {} } } } },
  ...more,
})

const documentOf = (paths: OpenApiDocument['paths'], schemas: OpenApiDocument['components']['schemas'] = {}): OpenApiDocument => ({
  info: { title: 'Lab', version: '1.0.0', description: '' },
  servers: [],
  tags: [],
  paths,
  components: { schemas, headers: {}, examples: {}, responses: {} },
})

describe('texts', () => {
  it('have a value for every name, and refuse one that there is none for', () => {
    const { description, tags } = guideOf(values)
    const llms = llmsText(values, documentOf({ '/things': { get: operation('listThings') } }), [{ path: '/docs', title: 'Reference' }])
    for (const text of [description, llms, ...tags.map((tag) => tag.description)]) expect(text).not.toContain('{{')
    expect(llms).toContain('- GET /things: summary of listthings')
    expect(llms).toContain('(https://lab.example/docs)')
    expect(() => fill('{{nothing}}', values)).toThrow('nothing')
  })

  it('link only to what is there, and to no other host', () => {
    const { description, tags } = guideOf(values)
    const known = tags.map(({ name }) => `#tag/${name.toLowerCase()}`)
    for (const text of [description, ...tags.map((tag) => tag.description)]) {
      const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link as string)
      expect(links.filter((link) => link.startsWith('#') && !known.includes(link))).toEqual([])
      expect(links.filter((link) => !/^[#/]/.test(link))).toEqual([])
    }
  })

  it('explain every error code, in the order of their statuses', () => {
    const rows = errorRows()
    expect(rows.map(([, code]) => code?.replaceAll('`', '')).sort()).toEqual(Object.keys(statusOf).sort())
    expect(rows.map(([status]) => Number(status))).toEqual(rows.map(([status]) => Number(status)).sort((one, other) => one - other))
    for (const { means, remedy } of Object.values(errorMeanings)) expect(means.length * remedy.length).toBeGreaterThan(0)
    expect(guideOf(values).description).toContain('| 405 `method_not_allowed` |')
  })
})

describe('samples', () => {
  const root = 'https://lab.example'
  const sample = (one: OperationObject, path: string, method: string) =>
    withSample(root)(one, path, method)['x-codeSamples']?.[0]?.source ?? ''

  it('carry credential, body and parameters', () => {
    const read = operation('readThing', {
      parameters: [
        { name: 'id', in: 'path', required: true, example: 'a/b', schema: {} },
        { name: 'q', in: 'query', example: 'x y', schema: {} },
        { name: 'other', in: 'query', schema: {} },
      ],
    })
    expect(sample(read, '/things/{id}', 'get')).toContain("fetch('https://lab.example/api/v1/things/a%2Fb?q=x+y', {")
    const atRoot = { ...read, servers: [{ url: root }] }
    expect(sample(atRoot, '/things/{id}', 'get')).toContain("fetch('https://lab.example/things/a%2Fb?q=x+y', {")
    const write = operation('createThing', {
      requestBody: { content: { 'application/json': { schema: {}, example: { note: "it's `$5`" } } } },
    })
    expect(sample(write, '/things', 'post')).toContain('"note": "it\'s `$5`"')
    expect(sample(write, '/things', 'post')).toContain('Bearer $')
    expect(sample(operation('open', { security: [{}, { bearer: [] }] }), '/things', 'get')).not.toContain('token')
  })

  it('are TypeScript', () => {
    const sources = [
      sample(
        operation('createThing', { requestBody: { content: { 'application/json': { schema: {}, example: { a: [1] } } } } }),
        '/x',
        'post',
      ),
      sample(operation('readFile', { responses: { 200: { description: 'The file' } } }), '/x', 'get'),
      sample(terminalOperation, '/sandbox/terminal', 'get'),
    ]
    for (const source of sources) expect(() => stripTypeScriptTypes(source)).not.toThrow()
    expect(() => stripTypeScriptTypes('const x: = 1')).toThrow()
    expect(sources[2]).toContain("new WebSocket('wss://lab.example/api/v1/sandbox/terminal')")
  })
})

describe('schemas', () => {
  const strict = (properties: object) => ({ type: 'object', properties, additionalProperties: false })
  const time = { type: 'string', format: 'date-time', pattern: '^.{200}$' }
  const ref = (name: string) => ({ schema: { $ref: `#/components/schemas/${name}` } })
  const cleaned = cleanUpSchemas(
    documentOf(
      {
        '/things': {
          post: operation('createThing', {
            requestBody: { content: { 'application/json': ref('WishInput') } },
            responses: {
              200: { description: 'Done', content: { 'application/json': ref('Thing') } },
              201: { description: 'Done', content: { 'application/json': { schema: strict({ part: strict({}) }) } } },
            },
          }),
        },
      },
      { WishInput: strict({ wanted: strict({}) }), Thing: strict({ made_at: time, part: strict({}) }), Unused: {} },
    ),
  )

  it('of answers may get new fields, those of requests may not', () => {
    const { Wish, Thing, ...others } = cleaned.components.schemas
    expect(others).toEqual({})
    expect(Wish).toEqual(strict({ wanted: strict({}) }))
    expect(JSON.stringify(Thing)).not.toContain('additionalProperties')
    expect(JSON.stringify(cleaned.paths)).not.toContain('additionalProperties')
  })

  it('show a date-time, not the expression that checks it', () => {
    expect(cleaned.components.schemas.Thing?.properties).toMatchObject({ made_at: { examples: ['2026-11-15T12:00:00.000Z'] } })
    expect(JSON.stringify(cleaned)).not.toContain('pattern')
  })
})

it('refusals that are the same are written once', () => {
  const refusal = (description: string) => ({
    description,
    content: { 'application/json': { schema: {}, examples: { not_found: { $ref: '#/components/examples/not_found' } } } },
  })
  const one = operation('one', { responses: { 404: refusal('same') } })
  const { paths, components } = shareResponses(
    documentOf({ '/a': { get: one, post: one }, '/b': { get: operation('other', { responses: { 404: refusal('other') } }) } }),
  )
  expect(paths['/a']?.post?.responses).toEqual({ 404: { $ref: '#/components/responses/not_found' } })
  expect(components.responses).toEqual({ not_found: refusal('same') })
  expect(paths['/b']?.get?.responses).toEqual({ 404: refusal('other') })
})

it('the page of the reference names this host only, and its policy allows no program that is written into it', () => {
  const page = referencePage()
  expect(
    [...page.matchAll(/\s(?:href|src)="([^"]*)"/g)]
      .map(([, address]) => address)
      .filter((address) => !/^(\/(?!\/)|data:,$)/.test(address ?? '')),
  ).toEqual([])
  for (const [tag] of page.matchAll(/<[a-z][^>]*>/g)) expect(tag).toMatch(/^<[a-z0-9]+( [a-z-]+="[^"<>]*")*>$/)
  const policy = referencePolicy(['https://lab.example'])
  expect(policy).toContain("default-src 'none'; script-src 'self'; ")
  expect(policy).toContain("connect-src 'self' https://lab.example; ")
  expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline|\*/)
})

it('a document is made once for each host, whatever the query says', async () => {
  const app = Fastify()
  let made = 0
  const [publicUrl, directUrl] = ['https://lab.example', 'https://direct.lab.example']
  const hosts = createHosts({ publicUrl, directUrl, allowedOrigins: [], localUrl: () => '' })
  const now = () => {
    made += 1
    return new Date(0)
  }
  serveDocuments(app, { hosts, numbers, securityContact: undefined, now })
  const read = async (query: string, host: string) =>
    (await app.inject({ url: `/.well-known/security.txt${query}`, headers: { host } })).payload
  for (const query of ['', '?', '?again', `?${'x'.repeat(300)}`]) {
    expect(await read(query, 'lab.example')).toContain('Canonical: https://lab.example/')
    expect(await read(query, 'direct.lab.example')).toContain('Canonical: https://direct.lab.example/')
  }
  expect(made).toBe(2)
  await app.close()
})
