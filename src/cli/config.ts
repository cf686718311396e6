// Prints the configuration of the server that runs, else the one that it would start with; secrets are masked.

import { join } from 'node:path'
import { z } from 'zod'
import { requirePaymentSettings } from '../commerce/providers/providers.ts'
import { describeConfig } from '../config.ts'
import { readProcess } from '../process-file.ts'
import { configOf, type DataOptions, environmentOf, withData } from './lib/options.ts'
import type { Verb } from './main.ts'

const Running = z.looseObject({ pid: z.number(), settings: z.record(z.string(), z.string()) })

const lines = (settings: Readonly<Record<string, string>>): string[] => Object.entries(settings).map(([name, value]) => `${name}=${value}`)

export const verb: Verb = (program) => {
  withData(program.command('config'))
    .description('print the configuration of the running server, or of the next one')
    .option('--port <port>', 'port to listen on')
    .action(async (options: DataOptions) => {
      requirePaymentSettings(configOf(options)) // as the server does before anything else
      const next = describeConfig(environmentOf(options))
      const running = Running.safeParse(await readProcess(join(configOf(options).dataDir, 'server.json')))
      if (!running.success) return console.log(lines(next).join('\n'))
      const { pid, settings } = running.data
      const changed = lines(next).filter((line) => !lines(settings).includes(line))
      console.log([`# process ${pid} serves with`, ...lines(settings)].join('\n'))
      if (changed.length > 0) console.log(['# after a restart from here, instead:', ...changed.map((line) => `# ${line}`)].join('\n'))
    })
}
