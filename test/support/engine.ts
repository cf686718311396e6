// A real engine for a test: an installation of its own on whatever engine this machine has.

import { join } from 'node:path'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { connectDocker } from '../../src/engine/docker/connection.ts'
import { createDockerEngine, type DockerEngineOptions } from '../../src/engine/docker/docker-engine.ts'
import type { Command, ServiceSpec } from '../../src/engine/engine.ts'
import { createId } from '../../src/ids.ts'

export const root = join(import.meta.dirname, '../..')

export const createTestEngine = (options: Partial<DockerEngineOptions> = {}) => {
  const docker = connectDocker(readConfig().dockerHost)
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
      for (const trace of await engine.list()) await engine.destroy(trace.id)
    },
  }
}

/** A service that only waits; every tool of the probe's image is in it. */
export const bareService = (name: string, extra: Partial<ServiceSpec> = {}): ServiceSpec => ({
  name,
  image: 'probe',
  environment: {},
  files: [],
  storage: [],
  memoryBytes: 64 * 1024 ** 2,
  cpus: 1,
  pids: 64,
  capabilities: [],
  sysctls: {},
  init: true,
  ...extra,
})

export const shell = (script: string, extra: Partial<Command> = {}): Command => ({
  argv: ['sh', '-c', script],
  timeoutMs: 20_000,
  outputBytes: 1024 * 1024,
  ...extra,
})

export const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000)
