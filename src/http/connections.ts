// Limits connections, in total and per client network, terminals included. Behind a trusted proxy, requests in progress are counted
// for the client's network instead, because the proxy's connections are shared by all clients.

import type { Server } from 'node:http'
import { BlockList, isIP, Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { networkOf } from '../client-network.ts'
import type { Limits } from '../configured-limits.ts'
import { LabError } from '../errors.ts'

export interface ConnectionsOptions {
  readonly limits: Pick<Limits, 'connections' | 'networkConnections'>
  /** Addresses and ranges. */
  readonly trustedProxies: readonly string[]
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

const rangesOf = (texts: readonly string[]): BlockList => {
  const ranges = new BlockList()
  for (const text of texts) {
    const [address = '', bits] = text.split('/')
    if (bits === undefined) ranges.addAddress(address, familyOf(address))
    else ranges.addSubnet(address, Number(bits), familyOf(address))
  }
  return ranges
}

const tooMany = (most: number) =>
  new LabError('too_many_connections', 'too many requests and terminals are open from your network', {
    hint: 'close some first',
    details: { limit: most },
    retryAfterSeconds: 1,
  })

export const createConnections = ({ limits, trustedProxies }: ConnectionsOptions) => {
  const proxies = rangesOf(trustedProxies)
  const isProxy = (address: string | undefined) => address !== undefined && proxies.check(address, familyOf(address))
  const open = new Map<string, number>()
  const counted = new WeakSet<Socket>()

  const enter = (network: string): boolean => {
    const count = open.get(network) ?? 0
    if (count >= limits.networkConnections) return false
    open.set(network, count + 1)
    return true
  }
  const leave = (network: string): void => {
    const count = (open.get(network) ?? 0) - 1
    if (count > 0) open.set(network, count)
    else open.delete(network)
  }

  return {
    /** Closes a connection beyond the limit immediately, before anything is read. */
    watch: (server: Server): void => {
      server.maxConnections = limits.connections
      server.on('connection', (socket: Socket) => {
        if (isProxy(socket.remoteAddress)) return
        const network = networkOf(socket.remoteAddress ?? '')
        if (!enter(network)) return void socket.destroy()
        counted.add(socket)
        socket.once('close', () => leave(network))
      })
    },

    /** Counts requests over connections of a proxy. An upgraded request counts as long as its connection is open. */
    countRequests: (app: FastifyInstance): void => {
      app.addHook('onRequest', (request, reply, done) => {
        const { socket } = request.raw
        if (!(socket instanceof Socket) || counted.has(socket)) return done() // an item of a batch has no connection
        const network = networkOf(request.ip)
        if (!enter(network)) return done(tooMany(limits.networkConnections))
        const underWay = request.headers.upgrade === undefined ? reply.raw : socket
        underWay.once('close', () => leave(network))
        done()
      })
    },
  }
}
