// A raw terminal of `docker exec` in a page: each key goes over a WebSocket to the shell, and what the shell answers goes back. No service
// and no terminal emulator is in between, so what it takes is Chromium's and Docker's.
// Forked with the id of a container; sends its port.

import websocket from '@fastify/websocket'
import Fastify from 'fastify'
import { readConfig } from '../../src/config.ts'
import { connectDocker } from '../../src/engine/docker/connection.ts'
import { openDockerTerminal } from './docker-terminal.ts'

const program = `
  window.bareTimes = []
  const socket = new WebSocket(location.href.replace(/^http/, 'ws') + 'shell')
  let down = 0
  socket.onmessage = () => {
    document.title = 'ready'
    if (down === 0) return
    bareTimes.push(performance.now() - down)
    down = 0
  }
  addEventListener('keydown', (event) => {
    if (event.key === 'Control') return
    event.preventDefault()
    if (!event.ctrlKey) down = performance.now()
    socket.send(event.ctrlKey ? '\\x15' : event.key)
  }, true)
`

const container = connectDocker(readConfig()).getContainer(process.argv[2] as string)
const app = Fastify()
await app.register(websocket)
app.get('/', (_request, reply) => reply.type('text/html').send(`<textarea autofocus></textarea><script>${program}</script>`))
app.get('/shell', { websocket: true }, async (socket) => {
  const shell = await openDockerTerminal(container)
  shell.on('data', (output: Buffer) => socket.send(output))
  socket.on('message', (keys: Buffer) => shell.write(keys))
  socket.on('close', () => shell.end('exit\n'))
})
await app.listen({ port: 0 })
process.send?.((app.server.address() as { port: number }).port)
