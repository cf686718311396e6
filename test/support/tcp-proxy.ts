// A TCP proxy between a client and a server whose connections a test can cut, as a network failure would.

import { connect, createServer, type Socket } from 'node:net'

export const openTcpProxy = async (serverUrl: string) => {
  let target = new URL(serverUrl)
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
    return socket
  }
  const server = createServer((near) => {
    const far = keep(connect(Number(target.port), target.hostname))
    keep(near).pipe(far).pipe(near)
    near.once('close', () => far.destroy())
    far.once('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cutAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    cutAll,
    connectTo: (url: string) => {
      target = new URL(url)
    },
    close: () => {
      server.close()
      cutAll()
    },
  }
}

export type TcpProxy = Awaited<ReturnType<typeof openTcpProxy>>
