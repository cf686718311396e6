// Lists the operator's sandboxes on the running server.

import { systemClock } from '../clock.ts'
import { countdown } from './drill/text.ts'
import { type DataOptions, withData } from './lib/options.ts'
import { withServer } from './lib/server-client.ts'
import { printTable } from './lib/table.ts'
import type { Verb } from './main.ts'

export const verb: Verb = (program) => {
  withData(program.command('sandboxes'))
    .description('list your sandboxes on the running server')
    .option('--json', 'print JSON, with the session ids, which are secrets')
    .action(async ({ json, ...options }: DataOptions & { json?: boolean }) =>
      withServer(options, 'sandboxes', async ({ client }) => {
        const { items } = await client.sandboxes()
        if (json === true) return console.log(JSON.stringify(items, null, 2))
        if (items.length === 0) return console.log('You have no sandbox; ./lab drill starts one.')
        const now = systemClock.now().getTime()
        const rows = items.map(({ id, course_id, status, expires_at, evaluations_left, containers }) => [
          ...[id, course_id, status, countdown((Date.parse(expires_at) - now) / 1000)],
          ...[String(evaluations_left), containers.join(' ')],
        ])
        printTable([['sandbox', 'course', 'status', 'time left', 'evaluations left', 'machines'], ...rows], { fits: true })
      }),
    )
}
