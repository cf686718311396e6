// Stops the server and removes every sandbox of the data directory; stops the engine if `up` started it.

import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { LabError } from '../errors.ts'
import { openInstallation } from '../installation.ts'
import { endProcess, readProcess } from '../process-file.ts'
import { startedEngine, stopEngine } from './lib/engine-setup.ts'
import { configOf, type DataOptions, withData } from './lib/options.ts'
import { removeSandboxes } from './lib/remove-sandboxes.ts'
import type { Verb } from './main.ts'

const serverPatienceMs = 35_000

export const verb: Verb = (program) => {
  withData(program.command('down'))
    .description('stop the server and remove every sandbox of the data directory')
    .action(async (options: DataOptions) => {
      const config = configOf(options)
      if (!existsSync(config.dataDir)) return console.log(`Nothing to stop: ${config.dataDir} does not exist.`)

      const file = join(config.dataDir, 'server.json')
      const server = await readProcess(file)
      if (server !== null) {
        await endProcess(server, serverPatienceMs)
        console.log('Stopped the server.')
      }
      await rm(file, { force: true })

      const installation = await openInstallation(config)
      try {
        await installation.engine.ping().catch((error: unknown) => {
          throw new LabError('engine_unavailable', 'the container engine does not answer: its sandboxes cannot be removed', {
            hint: 'start the engine and run ./lab down again',
            cause: error,
          })
        })
        const removed = await removeSandboxes(installation)
        await installation.engine.removeInspectors()
        console.log(`Removed ${removed} ${removed === 1 ? 'sandbox' : 'sandboxes'}.`)
        if (!startedEngine(config)) return
        const others = await installation.docker.listContainers()
        if (others.length > 0) return console.log(`Left the container engine running: it holds ${others.length} other containers.`)
        await installation.engine.removeFirewall()
        await stopEngine(config)
        console.log('Stopped the container engine.')
      } finally {
        await installation.store.close()
      }
    })
}
