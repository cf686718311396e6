import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import Fastify from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { createResponseBacklog, type ResponseBacklogOptions } from './response-backlog.ts'

const MiB = 2 ** 20
/** More than the kernel takes for a connection that nobody reads. */
const large = 16 * MiB
const bytes = Buffer.alloc(2 * large, 'x')
const never = 1_000_000_000
/** Whatever a test does not ask about is out of the way. */
const lenient = { sweepMs: 20, patienceMs: never, networkBytes: never, totalBytes: never }

const closers: (() => unknown)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** `/<bytes>` answers with so many; an upgrade gets as many as it takes. */
const answer: RequestListener = (request, response) => void response.end(bytes.subarray(0, Number(request.url?.slice(1))))
const flood = (socket: Socket) => {
  const more = () => {
    while (socket.write(bytes.subarray(0, MiB)));
  }
  socket.on('drain', more).on('error', () => undefined)
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  more()
}

const portOf = (server: Server) => (server.address() as AddressInfo).port

const serve = async (options: ResponseBacklogOptions, listener: RequestListener = answer): Promise<number> => {
  const server = createServer(listener)
  server.on('upgrade', (_request, socket) => flood(socket as Socket))
  createResponseBacklog({ ...lenient, ...options }).watch(server)
  closers.push(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return portOf(server)
}

const head = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
const upgrade = head('/', 'Connection: Upgrade\r\nUpgrade: websocket\r\n')

/** Sends something and reads nothing until it is told to. */
const dial = async (port: number, text: string, localAddress = '127.0.0.1') => {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  closers.push(() => socket.destroy())
  let isCut = false
  let received = 0
  socket
    .on('error', () => undefined)
    .once('close', () => {
      isCut = true
    })
  socket.pause()
  await new Promise((resolve) => socket.write(text, resolve))
  return {
    socket,
    /** A client that does not read learns of its end only by writing. */
    isCut: () => {
      if (!isCut) socket.write('\r\n')
      return isCut
    },
    received: () => received,
    read: (pauseMs = 0) =>
      socket
        .on('data', (chunk) => {
          received += chunk.length
          if (pauseMs === 0) return
          socket.pause()
          setTimeout(() => socket.resume(), pauseMs)
        })
        .resume(),
  }
}

const eventually = <T>(value: () => T) => expect.poll(value, { timeout: 10_000 })
/** Some sweeps later. */
const settled = () => delay(300)

describe('answers that are not read', () => {
  it.each([
    ['an answer in one piece', head(`/${2 * large}`)],
    ['an upgraded connection that always has more to send', upgrade],
  ])('end the connection after a while, and slow reading does not: %s', async (_name, text) => {
    const port = await serve({ patienceMs: 1000 })
    const stalled = await dial(port, text)
    const slow = await dial(port, text)
    slow.read(4)
    await eventually(stalled.isCut).toBe(true)
    await eventually(slow.received).toBeGreaterThan(1.5 * large)
    expect(slow.isCut()).toBe(false)
  })

  it('do not end a connection that has nothing to read yet, also when its next answer is ready', async () => {
    let asked = 0
    const port = await serve({ patienceMs: 100 }, (request, response) => {
      asked += 1
      setTimeout(() => answer(request, response), asked === 1 ? 600 : 0)
    })
    const patient = await dial(port, head('/1000').repeat(2))
    patient.read()
    await eventually(patient.received).toBeGreaterThan(2000)
  })

  it('are bounded for each network: its largest goes first', async () => {
    const port = await serve({ networkBytes: 20 * MiB })
    const other = await dial(port, head(`/${large}`), '127.0.0.3')
    const smaller = await dial(port, head(`/${large}`), '127.0.0.2')
    const larger = await dial(port, head(`/${large + MiB}`), '127.0.0.2')
    await eventually(larger.isCut).toBe(true)
    await settled()
    expect([smaller.isCut(), other.isCut()]).toEqual([false, false])
  })

  it('are bounded in all: the network that has the most loses first', async () => {
    const port = await serve({ totalBytes: 3 * large })
    const largest = await dial(port, head(`/${large + MiB}`), '127.0.0.3')
    const many = await Promise.all([1, 2, 3].map(() => dial(port, head(`/${large}`), '127.0.0.2')))
    await eventually(() => many.filter(({ isCut }) => isCut()).length).toBe(2)
    await settled()
    expect(many.filter(({ isCut }) => isCut())).toHaveLength(2)
    expect(largest.isCut()).toBe(false)
  })

  it('count while they wait for an answer that was asked for earlier', async () => {
    const port = await serve({ networkBytes: 3 * large }, (request, response) => {
      if (request.url !== '/slow') answer(request, response)
    })
    const few = await dial(port, head('/slow') + head(`/${large}`).repeat(2), '127.0.0.2')
    const many = await dial(port, head('/slow') + head(`/${large}`).repeat(4), '127.0.0.3')
    await eventually(many.isCut).toBe(true)
    expect(few.isCut()).toBe(false)
  })

  it('behind a proxy count for the network that asked', async () => {
    const app = Fastify({ trustProxy: ['127.0.0.1'], forceCloseConnections: true })
    const unread = createResponseBacklog({ ...lenient, networkBytes: 20 * MiB })
    unread.attributeRequests(app)
    app.get('/', (_request, reply) => reply.send(bytes.subarray(0, large)))
    unread.watch(app.server)
    closers.push(() => app.close())
    await app.listen({ port: 0, host: '127.0.0.1' })
    const ask = (address: string) => dial(portOf(app.server), head('/', `X-Forwarded-For: ${address}\r\n`))
    const others = [await ask('2001:db8:0:1::1'), await ask('2001:db8:0:2::1')]
    await settled()
    const same = [await ask('2001:db8::1'), await ask('2001:db8::2')]
    await eventually(() => same.filter(({ isCut }) => isCut()).length).toBe(1)
    await settled()
    expect([...others, ...same].filter(({ isCut }) => isCut())).toHaveLength(1)
  })
})

describe('requests that are sent ahead of their answers', () => {
  it('are served up to a number; one more ends the connection, and the rest is not looked at', async () => {
    let asked = 0
    const port = await serve({ mostAhead: 10 }, () => {
      asked += 1
    })
    const modest = await dial(port, head('/1').repeat(10))
    await eventually(() => asked).toBe(10)
    const greedy = await dial(port, head('/1').repeat(2000))
    await eventually(greedy.isCut).toBe(true)
    expect(asked).toBe(20)
    expect(modest.isCut()).toBe(false)
  })

  it('may be many in all while their answers are read', async () => {
    let asked = 0
    const port = await serve({ mostAhead: 10 }, (_request, response) => {
      asked += 1
      response.end('ok')
    })
    const { socket, isCut, read } = await dial(port, '')
    read()
    for (let round = 1; round <= 10; round += 1) {
      socket.write(head('/').repeat(8))
      await eventually(() => asked).toBe(round * 8)
      await delay(10)
    }
    expect(isCut()).toBe(false)
  })
})
