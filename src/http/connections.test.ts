import { createServer, get, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import Fastify from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { createConnections } from './connections.ts'

const sockets: Socket[] = []
const servers: Server[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

const serve = async (connections: number, networkConnections: number) => {
  const server = createServer((_request, response) => response.end('ok'))
  createConnections({ limits: { connections, networkConnections }, trustedProxies: ['127.0.0.9', '10.0.0.0/8', '::1'] }).watch(server)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  /** A connection that is held; whether it was served. */
  return (localAddress: string): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress }, () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'))
      sockets.push(socket)
      socket.once('data', () => resolve(true))
      socket.once('close', () => resolve(false))
      socket.on('error', () => undefined)
    })
}

describe('connections', () => {
  it('are limited for each network, given back at their end, and not limited for a proxy', async () => {
    const dial = await serve(100, 2)
    expect([await dial('127.0.0.1'), await dial('127.0.0.1'), await dial('127.0.0.1')]).toEqual([true, true, false])
    expect([await dial('127.0.0.2'), await dial('127.0.0.9'), await dial('127.0.0.9'), await dial('127.0.0.9')]).toEqual(
      Array(4).fill(true),
    )
    sockets[0]?.destroy()
    await expect.poll(() => dial('127.0.0.1')).toBe(true)
  })

  it('are limited in all', async () => {
    const dial = await serve(3, 2)
    const served = []
    for (const end of [1, 2, 3, 4]) served.push(await dial(`127.0.0.${end}`))
    expect(served).toEqual([true, true, true, false])
  })

  it('of a proxy are its clients’: what is under way is counted for the network behind it, and given back', async () => {
    const app = Fastify({ trustProxy: ['127.0.0.1'], forceCloseConnections: true })
    createConnections({ limits: { connections: 100, networkConnections: 2 }, trustedProxies: ['127.0.0.1'] }).countRequests(app)
    app.get('/slow', () => new Promise((resolve) => setTimeout(() => resolve('ok'), 300)))
    app.setErrorHandler((error: { code?: string }, _request, reply) => reply.code(429).send(error.code))
    const url = await app.listen({ port: 0 })
    const ask = (address: string) =>
      new Promise((resolve) =>
        get(`${url}/slow`, { headers: { 'x-forwarded-for': address } }, (answer) => resolve(answer.resume().statusCode)),
      )
    const batch = () => Promise.all(['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'].map(ask))
    for (const _ of [1, 2]) expect((await batch()).sort()).toEqual([200, 200, 200, 429])
    await app.close()
  })
})
