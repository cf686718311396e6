// Opens the store and the engine of a data directory, for the server and for verbs that need no server.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createAccounts } from './accounts/accounts.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { connectDocker } from './engine/docker/connection.ts'
import { daemonIn } from './engine/docker/daemon/daemon.ts'
import { uplinkOf } from './engine/docker/daemon/uplink.ts'
import { createDockerEngine } from './engine/docker/docker-engine.ts'
import { createPassedCheck } from './engine/docker/isolation/passed-check.ts'
import { root } from './project-folders.ts'
import { openStore } from './store/store.ts'

export const openInstallation = async (config: Config, clock: Clock = systemClock) => {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const store = await openStore({ databaseUrl: config.databaseUrl, file: join(config.dataDir, 'lab.sqlite'), now: clock.now() })
  const docker = connectDocker(config)
  const daemon = config.engineDir === undefined ? undefined : daemonIn(config.engineDir)
  const engine = createDockerEngine({
    docker,
    clock,
    installation: store.installation,
    imagesFolder: join(root, 'images'),
    subnetPool: config.subnetPool,
    runtime: config.runtime,
    ...(daemon === undefined ? {} : { uplink: uplinkOf(daemon.folder, daemon) }),
  })
  const passedCheck =
    daemon &&
    createPassedCheck({
      file: daemon.passedCheckFile,
      engineProcesses: daemon.processes,
      program: [join(root, 'src/engine'), join(root, 'images/probe')],
      settings: [config.subnetPool, config.runtime],
      clock,
    })
  const accounts = createAccounts({ store, clock, limits: config.limits })
  return { store, engine, docker, passedCheck, accounts, clock }
}

export type Installation = Awaited<ReturnType<typeof openInstallation>>
