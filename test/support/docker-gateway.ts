// A proxy on a unix socket between a server and the real engine, which a test can close, block or open.

import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { connectDocker } from '../../src/engine/docker/connection.ts'

const engineAddress = () => {
  const { socketPath, host, port } = connectDocker(readConfig()).modem as { socketPath?: string; host?: string; port?: number }
  return socketPath === undefined ? { host: host ?? 'localhost', port: Number(port) } : { path: socketPath }
}

export const startDockerGateway = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'incident-lab-gateway-'))
  const path = join(folder, 'docker.sock')
  const address = engineAddress()
  const sockets = new Set<Socket>()
  let server: Server | undefined
  let silent = false

  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
    return socket
  }

  const forward = (near: Socket) => {
    keep(near)
    if (silent) return near.resume()
    const far = keep(connect(address))
    near.pipe(far).pipe(near)
    near.once('close', () => far.destroy())
    far.once('close', () => near.destroy())
  }

  const open = async () => {
    silent = false
    if (server !== undefined) return
    const opening = createServer({ allowHalfOpen: true }, forward)
    await new Promise<void>((resolve) => opening.listen(path, resolve))
    server = opening
  }

  /** Stops listening and closes every connection. */
  const shut = async () => {
    const closing = server
    server = undefined
    const closed = new Promise<void>((resolve) => (closing === undefined ? resolve() : closing.close(() => resolve())))
    for (const socket of sockets) socket.destroy()
    await closed
  }

  await open()
  return {
    dockerHost: `unix://${path}`,
    open,
    shut,
    /** Accepts new connections and never answers them. */
    bar: () => {
      silent = true
    },
    close: async () => {
      await shut()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type DockerGateway = Awaited<ReturnType<typeof startDockerGateway>>
