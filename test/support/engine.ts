// A real engine for a test: an installation of its own on whatever engine this machine has.

import { join } from 'node:path'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { connectDocker } from '../../src/engine/docker/connection.ts'
import { createDockerEngine, type DockerEngineOptions } from '../../src/engine/docker/docker-engine.ts'
import { createId } from '../../src/ids.ts'

export const root = join(import.meta.dirname, '../..')

export const createTestEngine = (options: Partial<DockerEngineOptions> = {}) => {
  const config = readConfig()
  const docker = connectDocker(config)
  const installation = `test-${createId()}`
  const engine = createDockerEngine({
    docker,
    clock: systemClock,
    installation,
    imagesFolder: join(root, 'images'),
    subnetPool: '10.213.0.0/16',
    runtime: undefined,
    ...options,
  })
  return {
    engine,
    docker,
    installation,
    /** Removes everything of this installation. */
    cleanUp: async () => {
      for (const sandbox of await engine.list()) await engine.destroy(sandbox.id)
      await engine.removeInspectors()
    },
  }
}
