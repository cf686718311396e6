// The HTTP server of a container view, which speaks Docker's API to the docker command in a sandbox. It finds the route, reads the
// request within limits, and formats responses and errors as Docker does. Knows nothing of the engine.

import { type IncomingMessage, Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { isLabError } from '../../../errors.ts'
import { createSemaphore } from '../../../semaphore.ts'
import type { Execs } from './execs.ts'
import { parseExecStart, Refusal } from './requests.ts'
import type { Route, ViewResponse } from './routes.ts'
import type { Throttle } from './throttle.ts'

const largestBody = 64 * 1024
const largestHead = 16 * 1024
/** What a request costs in the rate limit of the view, in bytes: it allows some tens of requests a second. */
const requestCost = 64 * 1024
/** Requests of one view that are processed at once, not counting responses that stream. */
const atOnce = 8
const ownVersion = 41
const startPath = /^\/exec\/([a-f0-9]{64})\/start$/
const groups =
  /^\/(auth|build|commit|configs|containers|distribution|events|exec|grpc|images|info|networks|nodes|plugins|secrets|services|session|swarm|system|tasks|version|volumes|_ping)(\/|$)/

/** The path without the API version, and the query. Names of services need no URL decoding. */
export const readTarget = (url: string): { readonly path: string; readonly query: URLSearchParams } => {
  const [, whole = '', query = ''] = /^([^?]*)(?:\?(.*))?$/s.exec(url) ?? []
  const [, minor, rest = whole] = /^\/v1\.(\d{1,3})(\/.*)$/.exec(whole) ?? []
  if (minor !== undefined && Number(minor) > ownVersion) {
    throw new Refusal(400, `client version 1.${minor} is too new. Maximum supported API version is 1.${ownVersion}`)
  }
  if (!/^(?:\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)+$/.test(rest)) throw new Refusal(404, 'page not found')
  return { path: rest, query: new URLSearchParams(query) }
}

export const findRoute = (
  routes: readonly Route[],
  method: string,
  path: string,
): { readonly route: Route; readonly reference: string } => {
  for (const route of routes) {
    const found = route.method === method ? route.pattern.exec(path) : null
    if (found !== null) return { route, reference: found[1] ?? '' }
  }
  if (groups.test(path))
    throw new Refusal(403, 'this is not allowed in this sandbox: its containers can be inspected, entered by exec, stopped and started')
  throw new Refusal(404, 'page not found')
}

const refusalOf = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error
  if (isLabError(error, 'not_found')) return new Refusal(404, 'No such container')
  if (isLabError(error, 'container_not_running')) return new Refusal(409, 'the container is not running')
  if (isLabError(error, 'engine_unavailable')) return new Refusal(503, 'the container engine does not answer; try again shortly')
  return new Refusal(500, 'the request failed')
}

const parseBody = (bytes: Buffer): unknown => {
  if (bytes.length === 0) return undefined
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw new Refusal(400, 'invalid JSON')
  }
}

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = []
  let length = Number(request.headers['content-length'] ?? 0)
  if (length > largestBody) throw new Refusal(413, 'the body is too large')
  length = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += (chunk as Buffer).length
    if (length > largestBody) throw new Refusal(413, 'the body is too large')
    chunks.push(chunk as Buffer)
  }
  return parseBody(Buffer.concat(chunks))
}

/** The body of a request that upgrades its connection; what follows stays in the stream. */
const readUpgradeBody = async (request: IncomingMessage, client: Duplex, head: Buffer): Promise<unknown> => {
  const length = Number(request.headers['content-length'] ?? 0)
  if (request.headers['transfer-encoding'] !== undefined || !Number.isInteger(length)) throw new Refusal(400, 'the body needs a length')
  if (length > largestBody) throw new Refusal(413, 'the body is too large')
  let held = head
  while (held.length < length) {
    const more = await new Promise<Buffer | null>((resolve) => {
      const take = () => {
        const chunk = client.read() as Buffer | null
        if (chunk === null && !client.readableEnded && !client.destroyed) return
        for (const event of ['readable', 'end', 'close']) client.off(event, take)
        resolve(chunk)
      }
      for (const event of ['readable', 'end', 'close']) client.on(event, take)
      take()
    })
    if (more === null) throw new Refusal(400, 'the body is incomplete')
    held = Buffer.concat([held, more])
  }
  if (held.length > length) client.unshift(held.subarray(length))
  return parseBody(held.subarray(0, length))
}

const send = (response: ServerResponse, { status = 200, headers = {}, json, text, stream }: ViewResponse) => {
  response.writeHead(status, { ...(json === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers })
  if (stream === undefined) return void response.end(json === undefined ? text : `${JSON.stringify(json)}\n`)
  response.flushHeaders()
  stream.once('error', () => response.destroy())
  response.once('close', () => stream.destroy())
  stream.pipe(response)
}

const refuse = (response: ServerResponse, error: unknown) => {
  if (response.headersSent || response.destroyed) return void response.destroy()
  const { status, message } = refusalOf(error)
  send(response, status === 304 ? { status } : { status, json: { message } })
}

/** Without `Connection: close`: the docker command would take what follows it for the upgraded stream. */
const refuseUpgrade = (client: Duplex, error: unknown) => {
  const { status, message } = refusalOf(error)
  const body = `${JSON.stringify({ message })}\n`
  client.end(`HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

const upgraded = 'HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n'

export interface BrokerDeps {
  readonly routes: readonly Route[]
  readonly execs: Pick<Execs, 'startAttached'>
  readonly throttle: Throttle
}

export const createBroker = ({ routes, execs, throttle }: BrokerDeps) => {
  const limited = createSemaphore(atOnce)
  /**
   * One request per connection: clients that keep connections alive would occupy the slots that they themselves wait for. What
   * follows the first request is ignored.
   */
  const used = new WeakSet<Duplex>()
  const isFirst = (stream: Duplex): boolean => {
    if (used.has(stream)) return false
    used.add(stream)
    return true
  }
  const wait = async () => {
    const pauseMs = throttle(requestCost)
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isFirst(request.socket)) return
    response.shouldKeepAlive = false
    const leaving = new AbortController()
    response.once('close', () => leaving.abort())
    try {
      await wait()
      const { path, query } = readTarget(request.url ?? '')
      const { route, reference } = findRoute(routes, request.method ?? '', path)
      const body = await readBody(request)
      const told = await limited(() => route.answer({ reference, query, body, gone: leaving.signal }))
      if (leaving.signal.aborted) return void told.stream?.destroy()
      send(response, told)
    } catch (error) {
      refuse(response, error)
    }
  }

  const upgrade = async (request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> => {
    if (!isFirst(client)) return void client.destroy()
    try {
      await wait()
      const { path } = readTarget(request.url ?? '')
      const [, id] = (request.method === 'POST' && startPath.exec(path)) || []
      if (id === undefined) throw new Refusal(403, 'only exec can be attached to in this sandbox')
      const options = parseExecStart((await readUpgradeBody(request, client, head)) ?? {})
      await execs.startAttached(id, options, client, () => client.write(upgraded))
    } catch (error) {
      refuseUpgrade(client, error)
    }
  }

  const server = new Server({ maxHeaderSize: largestHead, requestTimeout: 0 }, (request, response) => void answer(request, response))
  server.on('upgrade', (request, client, head) => void upgrade(request, client, head))
  server.on('connect', (_request, client: Duplex) => refuseUpgrade(client, new Refusal(403, 'this is not allowed in this sandbox')))
  server.on('checkContinue', (request, response) => {
    response.writeContinue()
    void answer(request, response)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, client: Duplex) => {
    if (!client.writable) return void client.destroy()
    refuseUpgrade(client, new Refusal(error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400, 'the request cannot be read'))
  })

  return {
    /** Serves one connection until it ends. */
    serve: (stream: Duplex): void => void server.emit('connection', stream),
  }
}
