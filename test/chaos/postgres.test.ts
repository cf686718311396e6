// PostgreSQL is restarted, and crashes, under a busy server. The server keeps running, and nothing is lost.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deep } from '../support/deep.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { seeds } from '../support/random.ts'
import { type MortalLab, startMortalLab } from '../support/server.ts'
import { createDrama, type Drama, type Kept, report } from './drama.ts'

const capacity = 4
const rounds = deep ? 4 : 1

describe.each(seeds)('seed %i', (seed) => {
  let postgres: Postgres
  let lab: MortalLab
  let drama: Drama
  let kept: Kept

  beforeAll(async () => {
    postgres = await startPostgres()
    lab = await startMortalLab({
      LAB_DATABASE_URL: await postgres.createDatabase('chaos'),
      LAB_CAPACITY: String(capacity),
      LAB_POOL: '1',
      LAB_EVALUATION_SPACING_SECONDS: '0',
    })
    drama = await createDrama({ lab, seed, capacity })
    kept = await drama.keep()
  })
  afterAll(async () => {
    if (drama !== undefined) report('PostgreSQL', seed, drama.faults)
    await lab?.close()
    await postgres?.close()
  })

  it('the database goes away and comes back while people come and go', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const crowd = drama.crowd(5)
      await drama.anyMoment(3_000)
      await drama.inject('restart of PostgreSQL', () => postgres.restart())
      await drama.anyMoment(2_000)
      await drama.inject('crash of PostgreSQL', () => postgres.restart('SIGQUIT'))
      const { served } = await crowd
      expect(served).toBe(5)
      expect(lab.isAlive(), lab.log()).toBe(true)
      await drama.settle()
      await drama.expectAlive(kept)
    }
    await kept.owner.leave(kept.session)
    await drama.settle()
    await drama.end()
  }, 400_000)
})
