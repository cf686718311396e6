// Plays a course in this terminal, against the running server: brief, shell, hints, grading.

import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Client, createClient } from '../client/client.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { defaultCourseId } from '../contract/course.ts'
import type { SandboxSession } from '../contract/sandbox.ts'
import { LabError } from '../errors.ts'
import { openInstallation } from '../installation.ts'
import { readProcess } from '../process-file.ts'
import { bold, dim, renderMarkdown } from './drill/markdown.ts'
import { type Outcome, play } from './drill/play.ts'
import { countdown, textWidth } from './drill/text.ts'
import { createDisplay } from './lib/display.ts'
import { configOf, type DataOptions, withData } from './lib/options.ts'
import type { Verb } from './main.ts'

const tokenDays = 1

const serverUrl = async (config: Config): Promise<string> => {
  const server = await readProcess(join(config.dataDir, 'server.json'))
  if (typeof server?.url === 'string') return server.url
  throw new LabError('engine_unavailable', `nothing serves the data directory ${config.dataDir}`, { hint: 'start it with ./lab up' })
}

const operatorToken = async (config: Config) => {
  const { store, accounts } = await openInstallation(config)
  try {
    return await accounts.issueToken(await accounts.operator(), 'drill', tokenDays)
  } finally {
    await store.close()
  }
}

/** Yes is the default. */
const agrees = (question: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const line = createInterface({ input: process.stdin, output: process.stdout })
    line.once('SIGINT', () => {
      reject(new LabError('invalid_request', 'interrupted'))
      line.close()
    })
    line.once('close', () => resolve(true))
    line.question(`${question} [Y/n] `, (reply) => {
      resolve(!/^n/i.test(reply.trim()))
      line.close()
    })
  })

const timeLeft = ({ expires_at }: SandboxSession) => countdown((Date.parse(expires_at) - systemClock.now().getTime()) / 1000)

/** An existing sandbox of the operator, if the user wants it, or a new one. */
const obtainSandbox = async (client: Client, courseId: string): Promise<SandboxSession> => {
  const { items } = await client.sandboxes()
  const existing = items.find(({ course_id, status }) => course_id === courseId && status !== 'starting')
  if (existing !== undefined && (await agrees(`You have a sandbox of this course, with ${timeLeft(existing)} left. Continue with it?`))) {
    return existing
  }
  const display = createDisplay()
  display.report('building your sandbox')
  try {
    return await client.start({ course_id: courseId }, ({ queue_position }) => {
      if (queue_position !== null) display.report(`waiting for a slot: position ${queue_position} in the queue`)
    })
  } finally {
    display.done()
  }
}

const conclude = async (client: Client, sandbox: SandboxSession, outcome: Outcome, keep: boolean): Promise<void> => {
  const current = await client.sandbox(sandbox.id)
  if (current.status === 'terminated') return console.log(`The sandbox has ended (${current.termination_reason ?? outcome}).`)
  const isStopped = outcome === 'stop' || (!keep && (await agrees('Stop the sandbox? Otherwise it keeps running until it expires.')))
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
      const config = configOf(options)
      const url = await serverUrl(config)
      const { token, api_token } = await operatorToken(config)
      const client = createClient({ rootUrl: url, token })
      try {
        const course = await client.course(courseId)
        console.log(`\n${renderMarkdown(course.brief, textWidth(process.stdout.columns))}\n`)
        const sandbox = await obtainSandbox(client, courseId)
        console.log(`${bold('You are on call.')} ${dim('Ctrl-] g grades, Ctrl-] h gives a hint, Ctrl-] ? lists all keys.')}\n`)
        const outcome = await play({ client, url, token, course, sandbox })
        await conclude(client, sandbox, outcome, options.keep === true)
      } finally {
        await client.revokeToken(api_token.id).catch(() => undefined) // it expires by itself
      }
    })
}
