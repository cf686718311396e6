import { Duplex, PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBroker, findRoute, readTarget } from './broker.ts'
import { Refusal } from './requests.ts'
import type { Route, ViewRequest } from './routes.ts'
import { createThrottle } from './throttle.ts'

const asked: ViewRequest[] = []
const echo: Route = {
  method: 'POST',
  pattern: /^\/containers\/([a-z0-9-]+)\/exec$/,
  answer: async (request) => {
    asked.push(request)
    return { status: 201, json: { Id: request.reference } }
  },
}
const failing: Route = {
  method: 'GET',
  pattern: /^\/containers\/json$/,
  answer: async () => {
    throw new Error('cannot open /var/lib/docker/secret')
  },
}

/** What comes back for these bytes, once nothing more does. */
const talk = async (bytes: string): Promise<string> => {
  const broker = createBroker({
    routes: [echo, failing],
    execs: {
      startAttached: async (id, options, client, accept) => {
        accept()
        client.write(`${id.slice(0, 4)} ${JSON.stringify(options)} `)
        client.pipe(new PassThrough()).pipe(client)
      },
    },
    throttle: createThrottle({ perSecond: 1e12, burst: 1e12 }),
  })
  let said = ''
  const stream = new Duplex({
    readableHighWaterMark: 1,
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      said += chunk.toString()
      done()
    },
  })
  stream.on('error', () => undefined)
  broker.serve(stream)
  for (let at = 0; at < bytes.length; at += 1000) stream.push(bytes.slice(at, at + 1000))
  for (let last = -1; last !== said.length; ) {
    last = said.length
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  stream.destroy()
  return said
}

const post = (path: string, body: string, headers = `Content-Length: ${Buffer.byteLength(body)}\r\n`) =>
  `POST ${path} HTTP/1.1\r\nHost: d\r\n${headers}\r\n${body}`
const upgrade = 'Connection: Upgrade\r\nUpgrade: tcp\r\n'
const start = `/v1.41/exec/${'ab'.repeat(32)}/start`

describe('a broker', () => {
  it('answers one request for each connection, by its own body, and nothing that comes after it', async () => {
    asked.length = 0
    const said = await talk(post('/containers/web/exec', '{"a":1}') + post('/v1.41/containers/api/exec', '{"b":2}'))
    expect(said.match(/HTTP\/1\.1 \d+|Connection: \w+|"Id":"\w+"/g)).toEqual(['HTTP/1.1 201', 'Connection: close', '"Id":"web"'])
    expect(asked.map(({ body }) => body)).toEqual([{ a: 1 }])
  })

  it('does not tell what went wrong inside', async () => {
    const said = await talk('GET /containers/json HTTP/1.1\r\nHost: d\r\n\r\n')
    expect(said).toContain('HTTP/1.1 500')
    expect(said).not.toContain('secret')
  })

  it.each([
    ['a body that is too large', post('/containers/web/exec', ' '.repeat(70_000)), 413],
    ['a body that claims to be too large', post('/containers/web/exec', '', 'Content-Length: 99999999\r\n'), 413],
    [
      'chunks that are too large',
      post('/containers/web/exec', `11170\r\n${' '.repeat(70_000)}\r\n0\r\n\r\n`, 'Transfer-Encoding: chunked\r\n'),
      413,
    ],
    ['no JSON', post('/containers/web/exec', '{'), 400],
    ['a head that is too large', `GET /_ping HTTP/1.1\r\nHost: d\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a length and chunks', post('/containers/web/exec', '0\r\n\r\n', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'), 400],
    ['a tunnel', 'CONNECT d:80 HTTP/1.1\r\nHost: d\r\n\r\n', 403],
    ['an upgrade of anything else', post('/containers/web/attach', '', upgrade), 403],
    ['an upgrade in chunks', post(start, '0\r\n\r\n', `${upgrade}Transfer-Encoding: chunked\r\n`), 400],
    ['an upgrade with a large body', post(start, '', `${upgrade}Content-Length: 70000\r\n`), 413],
  ])('refuses %s', async (_, bytes, status) => {
    asked.length = 0
    const said = await talk(bytes)
    expect(said).toContain(`HTTP/1.1 ${status} `)
    expect(said).toContain('{"message":')
    expect(asked).toEqual([])
  })

  it('hands a connection over to a command, from the first byte after the request', async () => {
    const body = '{"Detach":false,"Tty":true}'
    const said = await talk(`${post(start, body, `${upgrade}Content-Length: ${body.length}\r\n`)}typed ahead`)
    expect(said).toMatch(/^HTTP\/1\.1 101 UPGRADED\r\n[\s\S]*\r\n\r\nabab \{"Detach":false,"Tty":true\} typed ahead$/)
  })
})

describe('a path', () => {
  it.each([
    ['/containers/json', '/containers/json'],
    ['/v1.41/containers/json?all=1', '/containers/json'],
    ['/v1.12/_ping', '/_ping'],
  ])('%s means %s', (url, path) => {
    expect(readTarget(url).path).toBe(path)
  })

  it('of any kind is either plain or refused, and leads to no more than the routes', () => {
    const part = fc.constantFrom(
      'containers',
      'web',
      'json',
      'exec',
      '..',
      '.',
      '',
      '%2e%2e',
      '%2f',
      'v1.41',
      'v1.99',
      'images',
      '?',
      '\0',
      ';',
      '\\',
      '@d',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.constantFrom('GET', 'POST', 'DELETE'), (parts, method) => {
        try {
          const { path } = readTarget(`/${parts.join('/')}`)
          expect(path).toMatch(/^(\/[\w-][\w.-]*)+$/)
          expect(path).not.toContain('..')
          expect([echo, failing]).toContain(findRoute([echo, failing], method, path).route)
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          expect([400, 403, 404]).toContain(error.status)
        }
      }),
    )
  })
})
