// Personal access tokens for the local operator.

import { z } from 'zod'
import { TokenCreateRequest, tokenLimits } from '../contract/token.ts'
import { LabError } from '../errors.ts'
import { openInstallation } from '../installation.ts'
import { summarizeIssues } from '../validation-messages.ts'
import { configOf, type DataOptions, withData } from './lib/options.ts'
import type { Verb } from './main.ts'

/** As they are written on the command line, so that a problem names them like that. */
const Options = z.object({ '--name': TokenCreateRequest.shape.name, '--days': TokenCreateRequest.shape.duration_days })

export const verb: Verb = (program) => {
  const token = program.command('token').description('manage personal access tokens')
  withData(token.command('create'))
    .description('print a new token for the operator account; it is shown only once')
    .requiredOption('--name <name>', 'what the token is for')
    .option('--days <days>', `days until it expires (1 to ${tokenLimits.maxDays})`, String(tokenLimits.defaultDays))
    .action(async (options: DataOptions & { name: string; days: string }) => {
      const given = Options.safeParse({ '--name': options.name, '--days': Number(options.days) })
      if (!given.success) throw new LabError('invalid_request', summarizeIssues(given.error.issues, 'the options').summary)
      const { store, accounts } = await openInstallation(configOf(options))
      try {
        const issued = await accounts.issueToken(await accounts.operator(), given.data['--name'], given.data['--days'])
        console.log(issued.token)
      } finally {
        await store.close()
      }
    })
}
