// The server is killed, containers and networks are removed and the database is locked, while visitors use sandboxes. Afterwards store
// and engine agree, and every sandbox still has its owner.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { seeds } from '../support/random.ts'
import { type MortalLab, startMortalLab } from '../support/server.ts'
import { deep } from '../support/test-mode.ts'
import { type ChaosRun, courseOfChaos, createChaosRun, type Kept, report } from './chaos-run.ts'

const capacity = 6
const kills = deep ? 6 : 2
const visitors = deep ? 30 : 9
const lockMs = 5_000
const longest = 300_000

/** Another process holds the write lock of the database, as a backup or a forgotten shell would. */
const lockDatabase = async (file: string): Promise<void> => {
  const script = `
    const { DatabaseSync } = require('node:sqlite')
    const database = new DatabaseSync(${JSON.stringify(file)}, { timeout: 5000 })
    database.exec('begin exclusive')
    setTimeout(() => { database.exec('rollback'); database.close() }, ${lockMs})`
  const holder = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '-e', script], { stdio: 'inherit' })
  const code = await new Promise((resolve) => holder.once('exit', resolve))
  expect(code).toBe(0)
}

describe.each(seeds)('seed %i', (seed) => {
  let lab: MortalLab
  let chaos: ChaosRun
  let kept: [Kept, Kept]

  beforeAll(async () => {
    lab = await startMortalLab({
      ...courseOfChaos.settings,
      LAB_CAPACITY: String(capacity),
      LAB_QUEUE_MAX: '4',
      LAB_POOL: '2',
      LAB_EVALUATION_SPACING_SECONDS: '0',
    })
    chaos = await createChaosRun({ lab, seed, capacity })
    kept = await Promise.all([chaos.keep(), chaos.keep()])
  })
  afterAll(async () => {
    if (chaos !== undefined) report('server', seed, chaos.faults)
    await lab?.close()
  })

  const expectKept = async () => {
    await chaos.settle()
    await Promise.all(kept.map(chaos.expectAlive))
  }

  it(
    `the server is killed again and again while ${visitors} come at once`,
    async () => {
      const crowd = chaos.crowd(visitors)
      for (let kill = 0; kill < kills; kill += 1) {
        await chaos.anyMoment(6_000)
        await chaos.inject('kill of the server', lab.rebirth)
      }
      const { served } = await crowd
      expect(served).toBeGreaterThanOrEqual(capacity)
      await expectKept()
    },
    longest,
  )

  it(
    'the database is locked for a while, and nobody hears of it',
    async () => {
      const crowd = chaos.crowd(3)
      await chaos.anyMoment(2_000)
      await chaos.inject('lock of the database', () => lockDatabase(join(lab.dataDir, 'lab.sqlite')))
      expect(await crowd).toEqual({ served: 3, troubles: [] })
      await expectKept()
    },
    longest,
  )

  it(
    'containers are killed: what watches over a sandbox comes back, what a user could have ended stays so',
    async () => {
      const { docker } = lab.inside
      const [one, other] = kept
      const third = await chaos.keep()
      const service = chaos.random.pick(courseOfChaos.services)
      chaos.dead.add(`${third.session.id}/${service}`)
      const kill = (name: string) => chaos.inject(`kill of a container`, () => docker.getContainer(name).kill())
      expect(await other.owner.evaluate(other.session)).toBeLessThan(100)
      await Promise.all([
        kill(`clients-${one.session.id}`),
        kill(`inspector-${lab.inside.store.installation}`),
        kill(`${service}-${third.session.id}`),
      ])
      await expectKept()
      expect(await third.owner.exec(third.session, 'cat /tmp/kept')).toBe('kept\n')
      const inside = await third.owner.send('POST', '/sandbox/exec', {
        session_id: third.session.session_id,
        command: 'true',
        container: service,
      })
      expect(inside).toMatchObject({ status: 409, body: { error: { code: 'container_not_running' } } })
      expect(await third.owner.evaluate(third.session)).toBeLessThan(100)
      await third.owner.leave(third.session)
    },
    longest,
  )

  it(
    'a network is taken away, and comes back with everybody on it',
    async () => {
      const { docker } = lab.inside
      const { session } = chaos.random.pick(kept)
      const network = docker.getNetwork(`lan-${session.id}`)
      const takeAway = async () => {
        const { Containers } = (await network.inspect()) as { Containers: Record<string, unknown> }
        for (const id of Object.keys(Containers)) await network.disconnect({ Container: id, Force: true })
        await network.remove()
      }
      /** The reaper may already be repairing, so that a container joins the network while others are removed from it. */
      const insist = () => vi.waitFor(takeAway, { timeout: 60_000, interval: 100 })
      await chaos.inject('removal of a network', insist)
      await expectKept()
    },
    longest,
  )

  it('when all have left, nothing is left', async () => {
    await Promise.all(kept.map(({ owner, session }) => owner.leave(session)))
    await chaos.settle()
    const { store } = lab.inside
    const live = await store.sandboxes.listLive()
    expect(live.filter(({ pool_state }) => pool_state === null)).toEqual([])
    await chaos.end()
  })
})
