import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import Fastify from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { createEventResponses, type EventResponse } from './event-stream-response.ts'

const apps: { close: () => Promise<unknown> }[] = []
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()))
})

const serve = async (everyMs?: number) => {
  const app = Fastify()
  const open = createEventResponses(app, everyMs)
  const responses: EventResponse[] = []
  let [closed, isAllowed] = [0, true]
  app.get('/', (_request, reply) => {
    const response = open({
      isAllowed: async () => isAllowed,
      closed: () => {
        closed += 1
      },
    })
    responses.push(response)
    return reply.header('content-type', 'text/event-stream').send(response.stream)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  apps.push(app)
  const { port } = app.server.address() as AddressInfo
  return {
    app,
    port,
    responses,
    closed: () => closed,
    revoke: () => {
      isAllowed = false
    },
  }
}

describe('a response of events', () => {
  it('is sent event by event, and ends after the last one', async () => {
    const { port, responses, closed } = await serve()
    const answer = fetch(`http://127.0.0.1:${port}/`).then((response) => response.text())
    await expect.poll(() => responses.length).toBe(1)
    responses[0]?.send('one', { text: 'a\nb' })
    responses[0]?.send('two', {}, 'last')
    responses[0]?.end()
    responses[0]?.send('late', {})
    expect(await answer).toBe('retry: 2000\n\nevent: one\ndata: {"text":"a\\nb"}\n\nid: last\nevent: two\ndata: {}\n\n')
    await expect.poll(closed).toBe(1)
  })

  it('cuts off whoever does not read', async () => {
    const { port, responses, closed } = await serve()
    const socket = connect(port, '127.0.0.1')
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => responses.length).toBe(1)
    const text = 'x'.repeat(64 * 1024)
    for (let sent = 0; closed() === 0 && sent < 5_000; sent += 1) {
      responses[0]?.send('much', text)
      await new Promise(setImmediate)
    }
    expect(closed()).toBe(1)
    expect(responses[0]?.stream.destroyed).toBe(true)
    socket.destroy()
  })

  it('beats, and ends when the credential is not valid any more', async () => {
    const { port, closed, revoke } = await serve(10)
    const response = await fetch(`http://127.0.0.1:${port}/`)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes(': keep-alive')) text += (await reader?.read())?.value
    revoke()
    while ((await reader?.read())?.done === false);
    expect(closed()).toBe(1)
  })

  it('is over when the client has left', async () => {
    const { port, responses, closed } = await serve()
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'data')
    socket.destroy()
    await expect.poll(closed).toBe(1)
    responses[0]?.send('late', {})
  })

  it('does not hold up a server that closes', async () => {
    const { app, port } = await serve()
    const response = await fetch(`http://127.0.0.1:${port}/`)
    const rest = response.text()
    await app.close()
    expect(await rest).toContain('retry:')
  })
})
