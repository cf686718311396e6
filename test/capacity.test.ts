// Many sandboxes at once on one engine; afterwards nothing of them is left.

import { afterAll, expect, it } from 'vitest'
import { labelFilter } from '../src/engine/docker/labels.ts'
import { createId } from '../src/ids.ts'
import { bareService, inMinutes, inProbe, script as shell } from './contract/fixture.ts'
import { createTestEngine } from './support/engine.ts'

const sandboxes = 30
const { engine, docker, installation, cleanUp } = createTestEngine()
afterAll(cleanUp)

/** Everything of this installation, asked of Docker itself. */
const leftovers = async () => {
  const filters = labelFilter({ installation })
  const [containers, networks, volumes] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listNetworks({ filters }),
    docker.listVolumes({ filters }),
  ])
  return { containers: containers.length, networks: networks.length, volumes: (volumes.Volumes ?? []).length }
}

it(`${sandboxes} sandboxes live at once, each answers, and all of them go`, { timeout: 600_000 }, async () => {
  const ids = Array.from({ length: sandboxes }, createId)
  const storage = [{ path: '/data', bytes: 1024 ** 2 }]
  const topology = { services: [bareService('one', { storage }), bareService('two')], readyTimeoutSeconds: 60 }
  await Promise.all(ids.map((id) => engine.create({ id, topology, deadline: inMinutes(30) })))
  expect(await leftovers()).toEqual({ containers: sandboxes * 3, networks: sandboxes, volumes: sandboxes })
  expect((await engine.list()).map(({ id }) => id).sort()).toEqual([...ids].sort())

  const answer = async (id: string) => {
    const [mine, other, probe] = await Promise.all([
      engine.exec({ sandbox: id, service: 'one' }, shell('cat > /data/id; cat /data/id', { stdin: id })),
      engine.exec({ sandbox: id, service: 'two' }, shell('getent hosts one > /dev/null && hostname')),
      inProbe(engine, id, 'getent hosts one two | wc -l'),
    ])
    return [mine.stdout.toString(), other.stdout.toString(), probe].map((text) => text.trim())
  }
  expect(await Promise.all(ids.map(answer))).toEqual(ids.map((id) => [id, 'two', '2']))

  const states = await Promise.all(ids.map((id) => engine.describe(id)))
  const services = states.flatMap((state) => state?.services ?? [])
  expect(services.filter(({ running }) => running)).toHaveLength(sandboxes * 2)
  expect(new Set(services.map(({ addresses }) => addresses[0])).size).toBe(sandboxes * 2)

  await Promise.all(ids.map((id) => engine.destroy(id)))
  expect(await leftovers()).toEqual({ containers: 0, networks: 0, volumes: 0 })
  expect(await engine.list()).toEqual([])
})
