// The least that an echo in a page can take: a page that sends each key over a WebSocket to a program that sends it back at once. What it
// takes is Chromium's: the way from the page's process to the network and back.

import websocket from '@fastify/websocket'
import Fastify from 'fastify'

const program = `
  window.bareTimes = []
  const socket = new WebSocket(location.href.replace(/^http/, 'ws') + 'echo')
  socket.binaryType = 'arraybuffer'
  let down = 0
  socket.onopen = () => { document.title = 'ready' }
  socket.onmessage = () => bareTimes.push(performance.now() - down)
  addEventListener('keydown', (event) => {
    down = performance.now()
    event.preventDefault()
    socket.send(new TextEncoder().encode(event.key))
  }, true)
`

const app = Fastify()
await app.register(websocket)
app.get('/', (_request, reply) => reply.type('text/html').send(`<textarea autofocus></textarea><script>${program}</script>`))
app.get('/echo', { websocket: true }, (socket) => {
  socket.on('message', (keys: Buffer) => socket.send(keys))
})
await app.listen({ port: 0 })
process.send?.((app.server.address() as { port: number }).port)
