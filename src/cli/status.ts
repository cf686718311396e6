// Shows the state of server, engine and sandboxes. Exits with 1 when the server does not run.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { Health } from '../contract/health.ts'
import type { Engine } from '../engine/engine.ts'
import { openInstallation } from '../installation.ts'
import { readProcess } from '../process-file.ts'
import { configOf, type DataOptions, withData } from './lib/options.ts'
import type { Verb } from './main.ts'

const healthAt = async (url: string): Promise<string> => {
  try {
    const answer = Health.parse(await (await fetch(`${url}/api/v1/health`, { signal: AbortSignal.timeout(5_000) })).json())
    return `${answer.status}, version ${answer.version}`
  } catch {
    return 'does not answer'
  }
}

/** What the running server was started with; a setting of this shell may be another. */
const capacityOf = (server: unknown): string | undefined =>
  z.object({ settings: z.object({ LAB_CAPACITY: z.string() }) }).safeParse(server).data?.settings.LAB_CAPACITY

const describeEngine = async (engine: Engine): Promise<string> =>
  (await engine.confinesCapabilities().catch(() => false))
    ? 'confines capabilities'
    : 'does not confine capabilities: some courses cannot be started'

export const verb: Verb = (program) => {
  withData(program.command('status'))
    .description('show the server, the engine and the sandboxes of the data directory')
    .action(async (options: DataOptions) => {
      const config = configOf(options)
      const lines: [string, string][] = [['data', config.dataDir]]
      const server = await readProcess(join(config.dataDir, 'server.json'))
      const url = typeof server?.url === 'string' ? server.url : undefined
      lines.push([
        'server',
        server === null ? 'not running' : `process ${server.pid}${url ? `, ${url}, ${await healthAt(url)}` : ', starting'}`,
      ])
      if (existsSync(config.dataDir)) {
        const { store, engine } = await openInstallation(config)
        const answers = await engine.ping().then(
          () => true,
          () => false,
        )
        lines.push(['engine', answers ? `answers, ${await describeEngine(engine)}` : 'does not answer'])
        lines.push([
          'sandboxes',
          `${await store.slots.countClaimed()} of ${capacityOf(server) ?? config.limits.capacity}${answers ? `, ${(await engine.list()).length} on the engine` : ''}`,
        ])
        await store.close()
      }
      for (const [name, value] of lines) console.log(`${name.padEnd(10)} ${value}`)
      process.exitCode = url === undefined ? 1 : 0
    })
}
