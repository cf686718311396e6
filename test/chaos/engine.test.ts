// The engine is killed, with or without its containers, and restarted. Sandboxes that ran before run again.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { imageNames } from '../../src/cli/images.ts'
import { deep } from '../support/deep.ts'
import { type OwnEngine, startOwnEngine, type Toll } from '../support/own-engine.ts'
import { seeds } from '../support/random.ts'
import { type MortalLab, runLab, startMortalLab } from '../support/server.ts'
import { createDrama, type Drama, type Kept, report } from './drama.ts'

const capacity = 4
const tolls: readonly Toll[] = ['daemon', 'containerd', 'everything']
const rounds = deep ? 3 : 1

describe.each(seeds)('seed %i', (seed) => {
  let engine: OwnEngine
  let lab: MortalLab
  let drama: Drama
  let kept: [Kept, Kept]

  beforeAll(async () => {
    engine = await startOwnEngine(await imageNames()) // so that nothing is built while it dies
    lab = await startMortalLab({
      DOCKER_HOST: engine.dockerHost,
      LAB_CAPACITY: String(capacity),
      LAB_POOL: '1',
      LAB_EVALUATION_SPACING_SECONDS: '0',
    })
    drama = await createDrama({ lab, seed, capacity })
    kept = [await drama.keep(), await drama.keep()]
  })
  afterAll(async () => {
    if (drama !== undefined) report('engine', seed, drama.faults)
    await lab?.close()
    await engine?.close()
  })

  const dieAndReturn = (toll: Toll, liveRestore: boolean) =>
    drama.inject(`kill of the engine (${toll})`, async () => {
      await engine.kill(toll)
      await drama.anyMoment(2_000)
      await engine.start({ liveRestore })
    })

  it.each(Array.from({ length: rounds }, (_, round) => round))(
    'takes its containers with it, and they run again (round %i)',
    async () => {
      const crowd = drama.crowd(3)
      await drama.anyMoment(3_000)
      await dieAndReturn(drama.random.pick(tolls), false)
      expect((await crowd).served).toBe(3)
      await drama.settle()
      for (const sandbox of kept) await drama.expectAlive(sandbox)
    },
    300_000,
  )

  it('leaves its containers alive where it is told to, and finds them again', async () => {
    await dieAndReturn('daemon', true)
    await drama.settle()
    const [{ session }] = kept
    const startedAt = async () => (await engine.docker.getContainer(`web-${session.id}`).inspect()).State.StartedAt
    const before = await startedAt()
    await dieAndReturn('daemon', true)
    await drama.settle()
    expect(await startedAt()).toBe(before)
    for (const sandbox of kept) await drama.expectAlive(sandbox)
  }, 300_000)

  it('when all have left, nothing is left on it', async () => {
    for (const { owner, session } of kept) await owner.leave(session)
    await drama.settle()
    await drama.end()
    const { docker } = engine
    expect((await runLab(['down', '--data', lab.dataDir], { DOCKER_HOST: engine.dockerHost })).code).toBe(0)
    expect(await docker.listContainers({ all: true })).toEqual([])
    expect((await docker.listVolumes()).Volumes).toEqual([])
    expect((await docker.listNetworks()).map(({ Name }) => Name).sort()).toEqual(['bridge', 'host', 'none'])
  })
})
