// Stops a sandbox of the operator on the running server.

import { LabError } from '../errors.ts'
import { confirm } from './lib/confirm.ts'
import { type DataOptions, withData } from './lib/options.ts'
import { findSandbox, withServer } from './lib/server-client.ts'
import type { Verb } from './main.ts'

export const verb: Verb = (program) => {
  withData(program.command('stop [sandbox]'))
    .description('stop a sandbox and remove it: by its id or its course, or the only one')
    .option('--yes', 'do not ask')
    .action(async (wanted: string | undefined, { yes, ...options }: DataOptions & { yes?: boolean }) =>
      withServer(options, 'stop', async ({ client }) => {
        const { id, course_id, session_id } = findSandbox((await client.sandboxes()).items, wanted)
        if (yes !== true && !process.stdin.isTTY) {
          throw new LabError('invalid_request', 'nobody can be asked whether to stop it', { hint: 'add --yes' })
        }
        const isWanted = yes === true || (await confirm({ text: `Stop the sandbox ${id} of ${course_id}? All work in it is lost.` }))
        if (!isWanted) return console.log('Nothing was stopped.')
        await client.stop(session_id)
        console.log(`The sandbox ${id} was stopped and removed.`)
      }),
    )
}
