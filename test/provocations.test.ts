// What a kill in the middle of customers' writes shows, on a real PostgreSQL: one that has written what it confirmed, and one that has not.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Probe } from '../src/catalog/probe-file.ts'
import type { Provocation } from '../src/catalog/provocation-file.ts'
import { type Observer, openObserver } from '../src/grading/observer.ts'
import { beginWrites, provoke } from '../src/grading/provocations.ts'
import { describeRecords, observeRecords, type Rows } from '../src/grading/records.ts'
import { killAll } from '../src/grading/restarts.ts'
import { createId } from '../src/ids.ts'
import { inMinutes, inProbe } from './contract/fixture.ts'
import { createTestEngine } from './support/engine.ts'
import { order, orderDatabase, orderRecords, psql } from './support/order-database.ts'

const { engine, cleanUp } = createTestEngine()
const killed = ['db']

const createShop = async (settings: string) => {
  const sandbox = createId()
  const topology = { services: [orderDatabase(settings)], readyTimeoutSeconds: 60 }
  await engine.create({ id: sandbox, deadline: inMinutes(10), topology })
  return sandbox
}
/** Until it answers. */
const startAgain = async (sandbox: string) => {
  await engine.restart({ sandbox, service: 'db' })
  await inProbe(engine, sandbox, `for i in $(seq 100); do ${psql} -c 'SELECT 1' > /dev/null 2>&1 && exit 0; sleep 0.1; done; exit 1`)
}
const countOf = async (sandbox: string, state: string) =>
  Number(await inProbe(engine, sandbox, `cat /run/writes/orders 2> /dev/null | grep -c ${state} || true`))

beforeAll(() => engine.ensureImages(['postgres'], () => undefined))
afterAll(cleanUp)

describe.each([
  ['has written what it confirmed', '', true],
  ['confirms what it has not written', 'synchronous_commit = off\nwal_writer_delay = 10s\n', false],
])('a database that %s', (_, settings, keeps) => {
  let sandbox: string
  let observer: Observer
  let before: Record<string, Rows>
  beforeAll(async () => {
    sandbox = await createShop(settings)
    observer = openObserver(engine, sandbox)
    before = await describeRecords(observer, orderRecords())
  })
  afterAll(async () => {
    await observer?.close()
    await engine.destroy(sandbox)
  })

  it(`${keeps ? 'keeps' : 'loses'} it over a kill`, async () => {
    expect(await beginWrites(observer, { killed, writers: [order('web-{{nonce}}')] })).toMatchObject({ passed: true })
    await killAll(observer, killed)
    expect((await engine.describe(sandbox))?.services).toMatchObject([{ name: 'db', running: false }])
    await startAgain(sandbox)
    expect(await countOf(sandbox, 'acknowledged')).toBeGreaterThan(0)
    const { passed, saw } = await observeRecords(observer, orderRecords(), before)
    expect(saw).toMatch(keeps ? /^all orders are there$/ : /^of the orders, \d+ that were confirmed are not there$/)
    expect(passed).toBe(keeps)
  })
})

describe('a provocation', () => {
  let sandbox: string
  let observer: Observer
  beforeAll(async () => {
    sandbox = await createShop('')
    observer = openObserver(engine, sandbox)
  })
  afterAll(async () => {
    await observer?.close()
    await engine.destroy(sandbox)
  })
  const run = (provocations: Provocation[]) =>
    provoke(observer, provocations, {
      observer,
      scriptText: (path) => `echo ${path} >> /run/provoked; echo said; [ ${path} != bad ]`,
      values: {},
    })
  const script = (run: string): Provocation => Probe.parse({ script: { run } })

  it('is tried step by step, up to the first that fails', async () => {
    expect(await run([script('one'), script('bad'), script('two')])).toMatchObject({ passed: false, saw: 'said' })
    expect(await inProbe(engine, sandbox, 'cat /run/provoked')).toBe('one\nbad\n')
  })

  it('kills a service and starts it again', async () => {
    const startedAt = async () => (await engine.describe(sandbox))?.services[0]?.startedAt?.getTime() ?? 0
    const first = await startedAt()
    expect(await run([{ kill: 'db' }])).toMatchObject({ passed: true })
    expect(await startedAt()).toBeGreaterThan(first)
  })

  it('says so where nobody can write', async () => {
    const nobody = { killed, writers: [order('web-{{nonce}}', 'SELECT 1 / 0')] }
    expect(await beginWrites(observer, nobody)).toMatchObject({ passed: false, timedOut: true })
  })

  it('needs a service to be killed', async () => {
    expect(await beginWrites(observer, { killed: [], writers: [] })).toMatchObject({ passed: true })
  })
})
