import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createClient } from './client.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A service that receives everything and whose answers are lost on the way. */
const open = async (token?: string) => {
  const received: IncomingMessage[] = []
  const server = createServer((request) => {
    received.push(request)
    request.resume().once('end', () => request.socket.destroy())
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const rootUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createClient({ rootUrl, ...(token === undefined ? {} : { token }) })
  return { client, keys: () => received.map(({ headers }) => headers['idempotency-key']) }
}
type Client = Awaited<ReturnType<typeof open>>['client']

describe('a client whose answer is lost', () => {
  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['a hint', (client) => client.hint('session')],
    ['a command', (client) => client.exec({ session_id: 'session', command: 'true' })],
    ['an invitation', (client) => client.invite('sandbox', 'watcher')],
  ])('repeats %s under the same key', async (_what, write) => {
    const { client, keys } = await open('a token')
    await expect(write(client)).rejects.toMatchObject({ code: 'engine_unavailable' })
    expect(keys()).toHaveLength(3)
    expect(new Set(keys()).size).toBe(1)
    expect(keys()[0]).toMatch(/^[0-9a-f-]{36}$/)
  })

  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['the start of a visitor', (client) => client.startAsVisitor('scenario-01')],
    ['the use of a ticket', (client) => client.openLab('ticket')],
    ['the way back to a lab', (client) => client.returnToLab('sandbox')],
    ['the use of a link to sign in', (client) => client.signInLocally('code')],
  ])('sends %s once: without a credential no key is remembered', async (_what, write) => {
    const { client, keys } = await open()
    await expect(write(client)).rejects.toMatchObject({ code: 'engine_unavailable' })
    expect(keys()).toEqual([undefined])
  })
})
