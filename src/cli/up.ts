// Starts the server: finds or starts an engine, builds the images of the first course, checks isolation, listens.

import { fork } from 'node:child_process'
import { openSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { requirePaymentSettings } from '../commerce/providers/providers.ts'
import { type Config, childEnvironment, describeConfig } from '../config.ts'
import { LabError, messageOf } from '../errors.ts'
import { startServer } from '../main.ts'
import { claim, readProcess, recordOf, writeProcess } from '../process-file.ts'
import { createDisplay } from './lib/display.ts'
import { ensureEngine } from './lib/engine-setup.ts'
import { configOf, type DataOptions, environmentOf, withData } from './lib/options.ts'
import { printSignInLink } from './lib/sign-in-link.ts'
import { ensureWebApp } from './lib/web-app.ts'
import type { Verb } from './main.ts'

interface UpOptions extends DataOptions {
  readonly detach?: boolean
  readonly install: boolean
}

type Message = { progress: string } | { ready: string } | { failed: string }

const patienceMs = 30_000

const serverFile = (config: Config) => join(config.dataDir, 'server.json')

/** Fails at once, before anything is built, when the port is taken. */
const checkPort = (config: Config): Promise<void> =>
  new Promise((resolve, reject) => {
    const trial = createServer()
    trial.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE'
      reject(
        new LabError('invalid_request', `port ${config.port} on ${config.host} cannot be used: ${taken ? 'it is in use' : error.message}`, {
          hint: 'choose another with --port',
        }),
      )
    })
    trial.listen({ host: config.host, port: config.port }, () => trial.close(() => resolve()))
  })

const tell = (message: Message) => process.send?.(message)

/** The server serves also when there is no link. */
const offerSignIn = (config: Config, rootUrl: string): Promise<void> =>
  printSignInLink(config, rootUrl).catch((error: unknown) => {
    process.stderr.write(`There is no sign-in link: ${messageOf(error)}. Try ./lab signin.\n`)
  })

/** The server serves also without its pages, which then say why. */
const buildWebApp = (report: (message: string) => void): Promise<void> =>
  ensureWebApp(report).catch((error: unknown) => {
    process.stderr.write(`The web app could not be built: ${messageOf(error)}.\n`)
  })

/** Catches the first SIGINT or SIGTERM from `listen` on; a second SIGINT, and patience that has run out, end the process at once. */
const createInterrupt = () => {
  const interrupt = new AbortController()
  let receive: (signal: NodeJS.Signals) => void = () => undefined
  const received = new Promise<NodeJS.Signals>((resolve) => {
    receive = resolve
  })
  void received.then(() => {
    process.once('SIGINT', () => process.exit(130))
    setTimeout(() => process.exit(1), patienceMs).unref()
    interrupt.abort(new LabError('shutting_down', 'the start was interrupted', { hint: 'nothing of it is left' }))
  })
  return {
    received,
    listen: () => {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, receive)
      return interrupt.signal
    },
  }
}

const serve = async (config: Config, options: UpOptions): Promise<void> => {
  const file = serverFile(config)
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  await claim(file, `the data directory ${config.dataDir}`)
  const interrupt = createInterrupt()
  const display = createDisplay()
  const report = (message: string) => {
    tell({ progress: message })
    display.report(message)
  }
  try {
    requirePaymentSettings(config)
    await checkPort(config)
    await ensureEngine(config, options.install, report)
    await buildWebApp(report)
    const server = await startServer(config, report, interrupt.listen)
    await writeProcess(file, recordOf(process.pid, { url: server.localUrl, settings: describeConfig(environmentOf(options)) }))
    display.done()
    console.log(`Incident Lab is ready at ${server.rootUrl}`)
    if (process.send === undefined) await offerSignIn(config, server.rootUrl) // in the background, standard output is a log
    tell({ ready: server.rootUrl })
    globalThis.gc?.({ type: 'major', flavor: 'last-resort' }) // what only the start needed is a quarter of the heap, and an idle server would keep it
    if ((await interrupt.received) === 'SIGINT')
      process.stderr.write('\nStopping; sandboxes keep running until they expire. ./lab down removes them.\n')
    await server.close()
  } catch (error) {
    display.done()
    tell({ failed: messageOf(error) })
    throw error
  } finally {
    await rm(file, { force: true })
  }
  process.exit(0)
}

/** The same command in the background; returns once it serves. */
const detach = async (config: Config, options: UpOptions): Promise<void> => {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const running = await readProcess(serverFile(config))
  if (running !== null)
    throw new LabError('invalid_request', `the data directory ${config.dataDir} is in use by process ${running.pid}`, {
      hint: 'stop it with ./lab down',
    })
  await checkPort(config)
  const display = createDisplay()
  await ensureEngine(config, options.install, display.report)
  const log = openSync(join(config.dataDir, 'server.log'), 'a', 0o600)
  const child = fork(join(import.meta.dirname, 'main.ts'), ['up', ...(options.install ? [] : ['--no-install'])], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
    env: childEnvironment(environmentOf(options)),
  })
  try {
    const url = await new Promise<string>((resolve, reject) => {
      child.on('message', (message: Message) => {
        if ('progress' in message) display.report(message.progress)
        else if ('ready' in message) resolve(message.ready)
        else reject(new Error(message.failed))
      })
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}; see ${join(config.dataDir, 'server.log')}`)))
    })
    display.done()
    console.log(`Incident Lab is ready at ${url}`)
    await offerSignIn(config, url)
  } finally {
    display.done()
    if (child.connected) child.disconnect()
    child.unref()
  }
}

export const verb: Verb = (program) => {
  withData(program.command('up'))
    .description('serve; on the first run, install and build what is needed')
    .option('--port <port>', 'port to listen on (LAB_PORT, default 8080)')
    .option('--detach', 'serve in the background; return once ready')
    .option('--no-install', 'never install or start a container engine')
    .action(async (options: UpOptions) => {
      const config = configOf(options)
      await (options.detach ? detach(config, options) : serve(config, options))
    })
}
