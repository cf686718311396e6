import { describe, expect, it } from 'vitest'
import type { OpenApiDocument, OperationObject, Schema } from './openapi-types.ts'
import { referencePage } from './reference.ts'
import { curlExample } from './reference-example.ts'
import { fieldsOf, limitsOf, typeOf } from './reference-schema.ts'
import { escapeHtml, html, inline, prose } from './reference-text.ts'

const hostile = `<script>alert("1")</script>'"><img src=x onerror=alert(1)>&`
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const content = (schema: Schema) => ({ 'application/json': { schema } })

const operation = (operationId: string, more: Partial<OperationObject> = {}): OperationObject => ({
  operationId,
  summary: `Summary of ${operationId}`,
  tags: ['Things'],
  security: [{ bearer: [] }],
  responses: {
    200: {
      description: 'Done',
      headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
      content: content(ref('Thing')),
    },
    404: { description: '`not_found`', headers: { 'X-Request-Id': {}, 'Retry-After': {} }, content: content(ref('Error')) },
  },
  ...more,
})

const schemas: Record<string, Schema> = {
  Error: { type: 'object', properties: { error: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] } } },
  Thing: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'The `id`.' },
      parts: { type: 'array', items: { type: 'object', properties: { size: { type: 'integer', minimum: 1 } }, required: ['size'] } },
      whole: ref('Thing'),
    },
    required: ['id', 'whole'],
    additionalProperties: false,
  },
}

const createThing = operation('createThing', {
  parameters: [
    { name: 'API-Version', in: 'header', schema: { type: 'string', enum: ['2026-11-15'] } },
    { name: 'Idempotency-Key', in: 'header', schema: { type: 'string', format: 'uuid' } },
  ],
  requestBody: {
    required: true,
    content: content({
      type: 'object',
      properties: { name: { type: 'string' }, note: { type: 'string', examples: ["it's $5"] } },
      required: ['name', 'note'],
    }),
  },
})

const sound: OpenApiDocument = {
  info: { title: 'Lab', version: '1.2.3', description: 'First.\n\nThen `POST /things`.' },
  servers: [
    { url: 'https://lab.example/api/v1', description: 'Primary host' },
    { url: 'https://direct.example/api/v1', description: 'Direct host' },
  ],
  tags: [{ name: 'Things', description: 'All of them.' }],
  paths: {
    '/things': { post: createThing },
    '/things/{thingId}': {
      get: operation('readThing', { parameters: [{ name: 'thingId', in: 'path', required: true, schema: { type: 'string' } }] }),
    },
    '/odd': { get: operation('readOdd', { tags: ['Unlisted'], security: [{}, { bearer: [] }] }) },
  },
  components: {
    schemas,
    headers: { 'X-Request-Id': { description: 'What the log knows it by.' }, 'Retry-After': { description: 'Wait.' } },
  },
}

/** Every text is hostile, and every name that is no identifier. */
const spoiled: OpenApiDocument = {
  info: { title: hostile, version: hostile, description: `${hostile}\n\n\`${hostile}\`` },
  servers: [{ url: `https://lab.example/${hostile}`, description: hostile }],
  tags: [{ name: hostile, description: hostile }],
  paths: {
    [`/things/${hostile}`]: {
      post: operation('spoiled', {
        summary: hostile,
        description: hostile,
        tags: [hostile],
        parameters: [{ name: hostile, in: 'query', required: true, description: hostile, schema: { type: hostile, default: hostile } }],
        requestBody: {
          content: content({ type: 'object', properties: { [hostile]: { enum: [hostile], pattern: hostile } }, examples: [hostile] }),
        },
        responses: {
          [hostile]: { description: hostile, headers: { [hostile]: {} }, content: content(ref(hostile)) },
          200: { description: hostile },
        },
      }),
    },
  },
  components: {
    schemas: {
      Bad: {
        description: hostile,
        type: 'object',
        properties: { [hostile]: { const: hostile, format: hostile } },
        examples: [{ [hostile]: hostile }],
      },
    },
    headers: { [hostile]: { description: hostile } },
  },
}

const idsIn = (page: string) => [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id as string)
const addressesIn = (page: string) => [...page.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, address]) => address as string)

describe('the page', () => {
  const page = referencePage(sound)
  const navigation = /<nav[\s\S]*?<\/nav>/.exec(page)?.[0] ?? ''

  it.each([
    'createThing',
    'readThing',
    'readOdd',
    'schema-Error',
    'schema-Thing',
    'security',
    'terminal',
    'errors',
    'rate-limits',
    'idempotency',
    'versions',
    'mcp',
  ])('has a section %s, and the navigation leads to it', (id) => {
    expect(idsIn(page).filter((known) => known === id)).toHaveLength(1)
    expect(navigation).toContain(`href="#${id}"`)
  })

  it.each([
    ['a sound document', sound],
    ['a spoiled document', spoiled],
  ])('links inside itself only to what is there, and to no other host: %s', (_name, document) => {
    const made = referencePage(document)
    const ids = idsIn(made)
    expect(new Set(ids).size).toBe(ids.length)
    const addresses = addressesIn(made)
    expect(addresses.filter((address) => address.startsWith('#') && !ids.includes(address.slice(1)))).toEqual([])
    expect(addresses.filter((address) => !/^(#|\/(?!\/)|data:,$)/.test(address))).toEqual([])
    expect(made).not.toMatch(/url\(|@import/)
  })

  it('lets nothing of the document be markup', () => {
    const made = referencePage(spoiled)
    expect(made).toContain(escapeHtml(hostile))
    expect(made).not.toMatch(/<script|<img|"1"/)
    for (const [tag] of made.matchAll(/<[a-z][^>]*>/g)) expect(tag).toMatch(/^<[a-z0-9]+( [a-z-]+="[^"<>]*")*>$/)
  })

  it('tells method, path, credential, codes, schema and headers of an operation', () => {
    const section = /<section class="operation" id="readThing">[\s\S]*?<\/section>/.exec(page)?.[0] ?? ''
    expect(section).toContain('<span class="method get">GET</span> <code>/api/v1/things/{thingId}</code>')
    expect(section).toContain('Needs a credential')
    expect(section).toContain('<code>not_found</code>')
    expect(section).toContain('<a href="#schema-Thing">Thing</a>')
    expect(section).toContain('<code>Retry-After</code> <span class="when">404</span> Wait.')
    expect(/id="readOdd">[\s\S]*?<\/section>/.exec(page)?.[0]).toContain('No credential needed')
    expect(page).toContain('<a href="#createThing"><code>POST /things</code></a>')
  })
})

describe('the command', () => {
  const base = 'https://lab.example/api/v1'

  it('carries credential, key and body; what the shell would change is guarded', () => {
    expect(curlExample(base, '/things', 'post', createThing, schemas)).toBe(`curl https://lab.example/api/v1/things \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Idempotency-Key: $(uuidgen)" \\
  -H 'Content-Type: application/json' \\
  -d @- <<JSON
{ "name": "$NAME", "note": "it's \\$5" }
JSON`)
  })

  it('names what only the caller knows, and asks for no credential where none is needed', () => {
    const open = operation('readThing', { security: [{}, { bearer: [] }], parameters: [{ name: 'thingId', in: 'path', schema: {} }] })
    expect(curlExample(base, '/things/{thingId}', 'get', open, schemas)).toBe('curl "https://lab.example/api/v1/things/$THING_ID"')
    expect(curlExample(base, '/things', 'delete', { ...open, parameters: [] }, schemas)).toBe(
      'curl -X DELETE https://lab.example/api/v1/things',
    )
  })
})

describe('schemas', () => {
  it('lists nested fields by the way to them', () => {
    const names = fieldsOf(schemas.Thing as Schema).map(({ within, name, required }) => `${within}${name}${required ? '' : '?'}`)
    expect(names).toEqual(['id', 'parts?', 'parts[].size', 'whole'])
  })

  it.each([
    [{ type: 'string', format: 'date-time' }, 'string, date-time'],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'integer or null'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ type: 'array', items: ref('Thing') }, 'array of <a href="#schema-Thing">Thing</a>'],
    [{ type: 'object', additionalProperties: { type: 'integer' } }, 'map of integer'],
    [ref('Missing'), 'Missing'],
    [{}, 'any'],
  ])('%j is %s', (schema, words) => {
    expect(typeOf(schema, schemas).markup).toBe(words)
  })

  it.each([
    [{ minimum: 1, maximum: 300, default: 30 }, '1 to 300 default <code>30</code>'],
    [{ minItems: 1 }, 'at least 1 item'],
    [{ minLength: 7, maxLength: 7 }, 'exactly 7 characters'],
    [{ enum: ['a', 'b'] }, 'one of <code>a</code>, <code>b</code>'],
    [{ pattern: '^a$' }, 'matches <code>^a$</code>'],
    [{ pattern: '^a$', format: 'uuid' }, ''],
  ])('%j allows %s', (schema, words) => {
    expect(html`${limitsOf(schema).map((limit, index) => [index === 0 ? '' : ' ', limit])}`.markup).toBe(words)
  })
})

describe('text', () => {
  it('is escaped once, and markup of ours is not', () => {
    expect(html`<p title="${`"'<>&`}">${html`<b>${'&amp;'}</b>`}${['<', 1, undefined]}</p>`.markup).toBe(
      '<p title="&quot;&#39;&lt;&gt;&amp;"><b>&amp;amp;</b>&lt;1</p>',
    )
  })

  it('knows backticks and paragraphs', () => {
    expect(inline('a `b<` c` d').markup).toBe('a <code>b&lt;</code> c` d')
    expect(prose('one\ntwo\n\n\n`three`\n').markup).toBe('<p>one\ntwo</p><p><code>three</code></p>')
    expect(prose('').markup).toBe('')
  })
})
