// The engine is killed, with or without its containers, and restarted. Sandboxes that ran before run again.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadCatalog } from '../../src/catalog/catalog.ts'
import { imageNames } from '../../src/cli/images.ts'
import { readConfig } from '../../src/config.ts'
import { defaultCourseId } from '../../src/contract/course.ts'
import { catalogFoldersOf } from '../../src/project-folders.ts'
import { type OwnEngine, startOwnEngine, type Toll } from '../support/own-engine.ts'
import { seeds } from '../support/random.ts'
import { type MortalLab, runLab, startMortalLab } from '../support/server.ts'
import { deep } from '../support/test-mode.ts'
import { type ChaosRun, courseOfChaos, createChaosRun, type Kept, report } from './chaos-run.ts'

const capacity = 4
const tolls: readonly Toll[] = ['daemon', 'containerd', 'everything']
const rounds = deep ? 3 : 1

describe.each(seeds)('seed %i', (seed) => {
  let engine: OwnEngine
  let lab: MortalLab
  let chaos: ChaosRun
  let kept: [Kept, Kept]

  beforeAll(async () => {
    const { images } = (await loadCatalog(...catalogFoldersOf(readConfig(courseOfChaos.settings)))).find(defaultCourseId)
    engine = await startOwnEngine([...new Set(['probe', ...images])], { standIns: await imageNames() }) // so that nothing is built while it dies
    lab = await startMortalLab({
      ...courseOfChaos.settings,
      DOCKER_HOST: engine.dockerHost,
      LAB_CAPACITY: String(capacity),
      LAB_POOL: '1',
      LAB_EVALUATION_SPACING_SECONDS: '0',
    })
    chaos = await createChaosRun({ lab, seed, capacity })
    kept = await Promise.all([chaos.keep(), chaos.keep()])
  })
  afterAll(async () => {
    if (chaos !== undefined) report('engine', seed, chaos.faults)
    await lab?.close()
    await engine?.close()
  })

  const dieAndReturn = (toll: Toll, liveRestore: boolean) =>
    chaos.inject(`kill of the engine (${toll})`, async () => {
      await engine.kill(toll)
      await chaos.anyMoment(2_000)
      await engine.start({ liveRestore })
    })

  it.each(Array.from({ length: rounds }, (_, round) => round))(
    'takes its containers with it, and they run again (round %i)',
    async () => {
      const crowd = chaos.crowd(3)
      await chaos.anyMoment(3_000)
      await dieAndReturn(chaos.random.pick(tolls), false)
      expect((await crowd).served).toBe(3)
      await chaos.settle()
      await Promise.all(kept.map(chaos.expectAlive))
    },
    300_000,
  )

  it('leaves its containers alive where it is told to, and finds them again', async () => {
    await dieAndReturn('daemon', true)
    await chaos.settle()
    const [{ session }] = kept
    const startedAt = async () => (await engine.docker.getContainer(`web-${session.id}`).inspect()).State.StartedAt
    const before = await startedAt()
    await dieAndReturn('daemon', true)
    await chaos.settle()
    expect(await startedAt()).toBe(before)
    await Promise.all(kept.map(chaos.expectAlive))
  }, 300_000)

  it('when all have left, nothing is left on it', async () => {
    await Promise.all(kept.map(({ owner, session }) => owner.leave(session)))
    await chaos.settle()
    await chaos.end()
    const { docker } = engine
    expect((await runLab(['down', '--data', lab.dataDir], { DOCKER_HOST: engine.dockerHost })).code).toBe(0)
    expect(await docker.listContainers({ all: true })).toEqual([])
    expect((await docker.listVolumes()).Volumes).toEqual([])
    expect((await docker.listNetworks()).map(({ Name }) => Name).sort()).toEqual(['bridge', 'host', 'none'])
  })
})
