// Personal access tokens for the local operator.

import { TokenCreateRequest, tokenLimits } from '../contract/token.ts'
import { LabError } from '../errors.ts'
import { openInstallation } from '../installation.ts'
import { configOf, type DataOptions, withData } from './lib/options.ts'
import type { Verb } from './main.ts'

export const verb: Verb = (program) => {
  const token = program.command('token').description('manage personal access tokens')
  withData(token.command('create'))
    .description('print a new token for the operator account; it is shown only once')
    .requiredOption('--name <name>', 'what the token is for')
    .option('--days <days>', `days until it expires (1 to ${tokenLimits.maxDays})`, String(tokenLimits.defaultDays))
    .action(async (options: DataOptions & { name: string; days: string }) => {
      const request = TokenCreateRequest.safeParse({ name: options.name, duration_days: Number(options.days) })
      if (!request.success) {
        const [issue] = request.error.issues
        throw new LabError('invalid_request', `--${issue?.path[0] === 'name' ? 'name' : 'days'}: ${issue?.message}`)
      }
      const { store, accounts } = await openInstallation(configOf(options))
      try {
        const issued = await accounts.issueToken(await accounts.operator(), request.data.name, request.data.duration_days)
        console.log(issued.token)
      } finally {
        await store.close()
      }
    })
}
