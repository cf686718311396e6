// Container views on a real store and engine: a view is opened again whatever happens to the relay, the workstation or the server.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createLog } from '../../src/log.ts'
import { type ContainerViews, createContainerViews } from '../../src/sandboxes/run/container-views.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { bareService, inMinutes, outputOf, script } from '../contract/fixture.ts'
import { createTestEngine } from '../support/engine.ts'
import { ample, sandbox } from '../support/store.ts'

const { engine, cleanUp } = createTestEngine()
let folder: string
let store: Store
let servers: ContainerViews[] = []
let graded: Promise<void> = Promise.resolve()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'incident-lab-views-'))
  store = await openStore({ databaseUrl: undefined, file: join(folder, 'lab.sqlite'), now: new Date() })
  await engine.ensureImages(['ops-docker'], () => undefined)
})
afterEach(async () => {
  await Promise.all(servers.map((views) => views.stop()))
  servers = []
})
afterAll(async () => {
  await cleanUp()
  await store?.close()
  await rm(folder, { recursive: true, force: true })
})

const serve = (): ContainerViews => {
  const views = createContainerViews({
    ...{ store: store.sandboxes, engine, clock: systemClock, log: createLog('silent'), node: 'test' },
    catalog: { scenarios: [{ id: 'with-view', view: true }], drafts: [] },
    gradingLock: { released: () => graded },
  })
  servers.push(views)
  views.start()
  return views
}

const create = async (course = 'with-view') => {
  const times = { created_at: new Date().toISOString(), expires_at: inMinutes(10).toISOString(), deadline: inMinutes(10).toISOString() }
  const row = sandbox(null, { address: '192.0.2.1', course_id: course, containers: '["ops","web"]', node: 'test', ...times })
  const { id } = row
  await store.slots.reserve(row, ample)
  const services = [bareService('ops', { image: 'ops-docker', pids: 256, memoryBytes: 256 * 1024 ** 2 }), bareService('web')]
  await engine.create({ id, deadline: inMinutes(10), topology: { services, readyTimeoutSeconds: 30 } })
  return row
}
const hand = (id: string) => store.sandboxes.markRunning(id, '{}')
const inOps = (id: string, text: string) => engine.execDirect({ sandbox: id, service: 'ops' }, script(text))
const works = async (id: string) => (await inOps(id, 'timeout 10 docker ps -q').catch(() => null))?.exitCode === 0

it('a view is there at the hand-over, and comes back whatever ends it', async () => {
  const views = serve()
  const row = await create()
  await views.openView(row)
  expect(await works(row.id)).toBe(true)
  await hand(row.id)

  outputOf(await inOps(row.id, 'pkill -KILL -f "[c]ontainer-view"'))
  await expect.poll(() => works(row.id)).toBe(true)

  await engine.restart({ sandbox: row.id, service: 'ops' })
  await expect.poll(() => works(row.id)).toBe(true)

  const { promise, resolve } = Promise.withResolvers<void>()
  graded = promise
  const stopping = inOps(row.id, 'docker stop web')
  await expect.poll(() => works(row.id)).toBe(true)
  expect((await engine.describe(row.id))?.services.find(({ name }) => name === 'web')?.running).toBe(true)
  resolve()
  expect((await stopping).exitCode).toBe(0)
})

it('the next server takes over what the last one left, and only that', async () => {
  const [row, plain] = [await create(), await create('without-view')]
  await Promise.all([hand(row.id), hand(plain.id)])
  const first = serve()
  await expect.poll(() => works(row.id)).toBe(true)
  await first.stop()
  expect(await works(row.id)).toBe(false)
  serve()
  await expect.poll(() => works(row.id)).toBe(true)
  expect((await inOps(plain.id, 'test -e /var/run/docker.sock')).exitCode).toBe(1)

  await store.sandboxes.markTerminated(row.id, 'stopped', new Date().toISOString())
  await expect.poll(() => works(row.id)).toBe(false)
})

it('a view that is broken again and again is not opened any more', async () => {
  const row = await create()
  await hand(row.id)
  await inOps(row.id, `printf '%s\\n' '#!/bin/sh' 'echo >> /srv/tries' > /usr/bin/perl`)
  const views = serve()
  const tries = async () => outputOf(await inOps(row.id, 'cat /srv/tries | wc -l')).trim()
  await expect.poll(tries).toBe('3')
  await inOps(row.id, 'sleep 5')
  expect(await tries()).toBe('3')
  await views.stop()
})
