// The disk watch on a real store and engine: which sandboxes it ends, which it leaves alone, and that two servers do not conflict.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createLog } from '../../src/log.ts'
import { createDiskWatch, type DiskWatch, type DiskWatchDeps } from '../../src/sandboxes/upkeep/disk-watch.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { holdInFlight } from '../contract/disk.ts'
import { bareService, inMinutes, outputOf, script } from '../contract/fixture.ts'
import { createTestEngine } from '../support/engine.ts'
import { ample, sandbox } from '../support/store.ts'

const allowanceBytes = 32 * 1024 ** 2
const { engine, installation, cleanUp } = createTestEngine()
/** An engine of the same installation whose exact meter does not work. */
const { engine: blind } = createTestEngine({ installation, imagesFolder: '/nowhere' })
let folder: string
let store: Store
let watches: DiskWatch[] = []
let advances = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'incident-lab-disk-'))
  store = await openStore({ databaseUrl: undefined, file: join(folder, 'lab.sqlite'), now: new Date() })
  await engine.prepare(() => undefined)
})
afterEach(async () => {
  await Promise.all(watches.map((watch) => watch.stop()))
  watches = []
  advances = 0
})
afterAll(async () => {
  await cleanUp()
  await store?.close()
  await rm(folder, { recursive: true, force: true })
})

const watch = (extra: Partial<DiskWatchDeps> = {}) => {
  const advance = async () => {
    advances += 1
  }
  const started = createDiskWatch({
    store: store.sandboxes,
    engine,
    clock: systemClock,
    log: createLog('silent'),
    allowanceBytes,
    advance,
    ...extra,
  })
  watches.push(started)
  started.start()
  return started
}

const create = async (): Promise<string> => {
  const times = { created_at: new Date().toISOString(), expires_at: inMinutes(30).toISOString(), deadline: inMinutes(60).toISOString() }
  const row = sandbox(null, { address: '192.0.2.1', status: 'running', ...times })
  const { id } = row
  await store.slots.reserve(row, ample)
  await engine.create({ id, topology: { services: [bareService('one')], readyTimeoutSeconds: 20 }, deadline: inMinutes(60) })
  return id
}
const run = async (id: string, text: string, stdin = '') =>
  outputOf(await engine.exec({ sandbox: id, service: 'one' }, script(text, { stdin })))
const stateOf = async (id: string) => {
  const row = await store.sandboxes.find(id)
  return `${row?.status} ${row?.termination_reason}, ${(await engine.describe(id)) === null ? 'gone' : 'there'}`
}

it('two watches end the sandbox that writes too much, once, and no other', async () => {
  const [greedy, modest] = await Promise.all([create(), create()])
  watch()
  watch()
  await run(modest, 'head -c 20M /dev/zero > /srv/file')
  await run(greedy, 'setsid sh -c "while :; do cat /dev/zero > /srv/file; done" > /dev/null 2>&1 < /dev/null &')
  await expect.poll(() => stateOf(greedy)).toBe('terminated disk_exceeded, gone')
  await expect.poll(() => advances).toBe(1)
  expect(await stateOf(modest)).toBe('running null, there')
  expect(await run(modest, 'echo fine')).toBe('fine\n')
  await engine.destroy(modest)
})

it('a sandbox that cannot be measured fully is ended only when disk space is scarce', async () => {
  const [hider, honest] = await Promise.all([create(), create()])
  await run(
    hider,
    'cat > /srv/hide; setsid python3 /srv/hide > /dev/null 2>&1 < /dev/null & until [ -e /srv/done ]; do sleep 0.1; done',
    holdInFlight,
  )
  const meter = engine.openDiskMeter()
  try {
    expect((await meter.measure(allowanceBytes)).uses.get(hider)?.hides).toBe(true)
  } finally {
    await meter.close()
  }
  watch()
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  expect(await stateOf(hider)).toBe('running null, there')
  watch({ scarceShare: 1 })
  await expect.poll(() => stateOf(hider)).toBe('terminated disk_exceeded, gone')
  expect(await stateOf(honest)).toBe('running null, there')
})

it('a watch that can only measure roughly says so, ends who writes too much all the same, and says when that is over', async () => {
  const greedy = await create()
  const said: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void said.push(JSON.parse(line).msg) })
  const seeing = { isBlind: true }
  const openDiskMeter = () => {
    const [rough, exact] = [blind.openDiskMeter(), engine.openDiskMeter()]
    const current = () => (seeing.isBlind ? rough : exact)
    const close = async () => void (await Promise.all([rough.close(), exact.close()]))
    return { room: () => current().room(), measure: (enough: number) => current().measure(enough), close }
  }
  const watching = watch({ engine: { ...engine, openDiskMeter }, log })
  const manner = () =>
    watching.ping().then(
      () => 'exact',
      () => 'rough',
    )
  await expect.poll(manner).toBe('rough')
  await run(greedy, 'head -c 40M /dev/zero > /srv/file')
  await expect.poll(() => stateOf(greedy)).toBe('terminated disk_exceeded, gone')
  seeing.isBlind = false
  await expect.poll(manner).toBe('exact')
  expect(said.filter((message) => /can only be estimated|measured exactly/.test(message))).toEqual([
    'the disk use of sandboxes can only be estimated',
    'the disk use of sandboxes is measured exactly again',
  ])
})
