// Guests at the edge of events, on a real server and a store in memory.

import Fastify, { type FastifyInstance } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { afterEach, expect, it } from 'vitest'
import { type EnteredLab, holdTokens, openEnteredLab } from '../../../test/support/entered-lab.ts'
import { createAccess } from '../../sandboxes/access.ts'
import { createSessionIds } from '../../sandboxes/session-id.ts'
import { routes } from './events.ts'

const apps: FastifyInstance[] = []
afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())))

const open = async ({ store, labEntry, invitations, presences }: EnteredLab) => {
  const followers = { count: 0 }
  const follow = async () => {
    followers.count += 1
    return () => {
      followers.count -= 1
    }
  }
  const access = createAccess({ store: store.sandboxes, batches: store.batches, sessionIds: createSessionIds('x'.repeat(32)) })
  const app = Fastify({ forceCloseConnections: true })
  apps.push(app)
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.decorateRequest('caller', null)
  app.decorateRequest('browserSessionId', null)
  app.decorateRequest('labHolder', null)
  app.addHook('onRequest', async (request) => {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
    request.labHolder = (await labEntry.byToken(token, request.ip)).found
  })
  routes(app as never, { access, invitations, presences, events: { follow } } as never, undefined as never)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const read = (token: string, id: string) => {
    const over = new AbortController()
    const headers = { authorization: `Bearer ${token}` }
    const text = fetch(`${url}/sandbox/${id}/events`, { headers, signal: over.signal }).then((response) => response.text())
    return { text, close: () => over.abort() }
  }
  return { read, followers }
}

it('a guest who is removed while its token is being looked up is told so at once, and follows nothing', async () => {
  const tokens = holdTokens()
  const lab = await openEnteredLab(tokens)
  const { read, followers } = await open(lab)
  const { id, admit } = await lab.invite('watcher')
  const { token } = await admit()
  tokens.hold()
  const { text } = read(token, lab.row.id)
  await tokens.found
  await lab.invitations.endOne(lab.row, id)
  tokens.release()
  expect(await text).toMatch(/^retry: 2000\n\nid: \w+\nevent: removed\n/)
  expect(followers.count).toBe(0)
}, 10_000)

it('a guest who follows is told at once when its invitation ends', async () => {
  const lab = await openEnteredLab()
  const { read, followers } = await open(lab)
  const { id, admit } = await lab.invite('watcher')
  const { text } = read((await admit()).token, lab.row.id)
  await expect.poll(() => followers.count).toBe(1)
  await lab.invitations.endOne(lab.row, id)
  expect(await text).toMatch(/event: removed\n/)
  await expect.poll(() => followers.count).toBe(0)
}, 10_000)
