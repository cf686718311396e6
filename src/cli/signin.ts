// Prints a one-time link with which the operator signs in to the running server.

import { join } from 'node:path'
import { LabError } from '../errors.ts'
import { readProcess } from '../process-file.ts'
import { configOf, type DataOptions, withData } from './lib/options.ts'
import { printSignInLink } from './lib/sign-in-link.ts'
import type { Verb } from './main.ts'

export const verb: Verb = (program) => {
  withData(program.command('signin'))
    .description('print a one-time link to sign in as the operator')
    .action(async (options: DataOptions) => {
      const config = configOf(options)
      const server = await readProcess(join(config.dataDir, 'server.json'))
      if (typeof server?.url !== 'string') {
        throw new LabError('engine_unavailable', `nothing serves the data directory ${config.dataDir}`, { hint: 'start it with ./lab up' })
      }
      await printSignInLink(config, config.publicUrl ?? server.url)
    })
}
