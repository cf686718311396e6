// Prints the effective configuration; secrets are masked.

import { describeConfig } from '../config.ts'
import { environmentOf, type PlaceOptions, withData } from './lib/options.ts'
import type { Verb } from './main.ts'

export const verb: Verb = (program) => {
  withData(program.command('config'))
    .description('print the effective configuration')
    .option('--port <port>', 'port to listen on')
    .action((options: PlaceOptions) => {
      for (const [name, value] of Object.entries(describeConfig(environmentOf(options)))) console.log(`${name}=${value}`)
    })
}
