// Stops the server and removes every sandbox of the data directory; stops the engine if `up` started it.

import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { LabError } from '../errors.ts'
import { type Installation, openInstallation } from '../installation.ts'
import { poll } from '../polling.ts'
import { endProcess, readProcess } from '../process-file.ts'
import { startedEngine, stopEngine } from './lib/engine-setup.ts'
import { configOf, type DataOptions, withData } from './lib/options.ts'
import type { Verb } from './main.ts'

const serverPatienceMs = 35_000

const settleMs = 20_000

/** Until nothing is left: what the engine was making when a server was killed appears after the first look. */
const removeSandboxes = async ({ store, engine, clock }: Installation): Promise<number> => {
  for (const row of await store.sandboxes.listLive()) await store.sandboxes.markTerminated(row.id, 'stopped', clock.now().toISOString())
  const removed = new Set<string>()
  const removeAll = async () => {
    const found = (await engine.list()).map(({ id }) => id)
    await Promise.all(found.map((id) => engine.destroy(id)))
    for (const id of found) removed.add(id)
    return found.length
  }
  await poll(removeAll, (found) => found === 0, { pauseMs: 200, withinMs: settleMs })
  return removed.size
}

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
