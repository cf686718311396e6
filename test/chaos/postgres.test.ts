// PostgreSQL is restarted, and crashes, under a busy server. The server keeps running, and nothing is lost.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { seeds } from '../support/random.ts'
import { type MortalLab, startMortalLab } from '../support/server.ts'
import { deep } from '../support/test-mode.ts'
import { type ChaosRun, courseOfChaos, createChaosRun, type Kept, report } from './chaos-run.ts'

const capacity = 4
const rounds = deep ? 4 : 1

describe.each(seeds)('seed %i', (seed) => {
  let postgres: Postgres
  let lab: MortalLab
  let chaos: ChaosRun
  let kept: Kept

  beforeAll(async () => {
    postgres = await startPostgres()
    lab = await startMortalLab({
      ...courseOfChaos.settings,
      LAB_DATABASE_URL: await postgres.createDatabase('chaos'),
      LAB_CAPACITY: String(capacity),
      LAB_POOL: '1',
      LAB_EVALUATION_SPACING_SECONDS: '0',
    })
    chaos = await createChaosRun({ lab, seed, capacity })
    kept = await chaos.keep()
  })
  afterAll(async () => {
    if (chaos !== undefined) report('PostgreSQL', seed, chaos.faults)
    await lab?.close()
    await postgres?.close()
  })

  it('the database goes away and comes back while people come and go', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const crowd = chaos.crowd(5)
      await chaos.anyMoment(3_000)
      await chaos.inject('restart of PostgreSQL', () => postgres.restart())
      await chaos.anyMoment(2_000)
      await chaos.inject('crash of PostgreSQL', () => postgres.restart('SIGQUIT'))
      const { served } = await crowd
      expect(served).toBe(5)
      expect(lab.isAlive(), lab.log()).toBe(true)
      await chaos.settle()
      await chaos.expectAlive(kept)
    }
    await kept.owner.leave(kept.session)
    await chaos.settle()
    await chaos.end()
  }, 400_000)
})
