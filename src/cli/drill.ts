// Plays a course in this terminal, against the running server: brief, shell, hints, grading.

import type { Client } from '../client/client.ts'
import { defaultCourseId } from '../contract/course.ts'
import type { SandboxSession } from '../contract/sandbox.ts'
import { LabError } from '../errors.ts'
import { bold, dim, renderMarkdown } from './drill/markdown.ts'
import { obtainSandbox, timeLeft } from './drill/obtain-sandbox.ts'
import { type Outcome, play } from './drill/play.ts'
import { endText, textWidth } from './drill/text.ts'
import { confirm } from './lib/confirm.ts'
import { type DataOptions, withData } from './lib/options.ts'
import { withServer } from './lib/server-client.ts'
import type { Verb } from './main.ts'

const conclude = async (client: Client, sandbox: SandboxSession, outcome: Outcome, keep: boolean): Promise<void> => {
  const current = await client.sandbox(sandbox.id)
  if (current.status === 'terminated') return console.log(endText(current, outcome))
  const isStopped =
    outcome === 'stop' || (!keep && (await confirm({ text: 'Stop the sandbox? Otherwise it keeps running until it expires.' })))
  if (!isStopped)
    return console.log(`The sandbox keeps running for ${timeLeft(current)}; ./lab drill ${current.course_id} reconnects to it.`)
  await client.stop(sandbox.session_id)
  console.log('The sandbox was stopped and removed.')
}

export const verb: Verb = (program) => {
  withData(program.command('drill [course]'))
    .description(`play a course in this terminal, against the running server (default ${defaultCourseId})`)
    .option('--keep', 'leave the sandbox running at the end, without asking')
    .action(async (courseId: string = defaultCourseId, options: DataOptions & { keep?: boolean }) => {
      if (!process.stdin.isTTY || !process.stdout.isTTY) {
        throw new LabError('invalid_request', 'a drill needs a terminal', { hint: 'scripts use the REST API, agents use MCP' })
      }
      await withServer(options, 'drill', async ({ client, url, token }) => {
        const course = await client.course(courseId)
        console.log(`\n${renderMarkdown(course.brief, textWidth(process.stdout.columns))}\n`)
        const sandbox = await obtainSandbox(client, courseId)
        console.log(`${bold('You are on call.')} ${dim('Ctrl-] g grades, Ctrl-] h gives a hint, Ctrl-] ? lists all keys.')}\n`)
        const outcome = await play({ client, url, token, course, sandbox })
        await conclude(client, sandbox, outcome, options.keep === true)
      })
    })
}
