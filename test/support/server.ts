// A real server for a test: `./lab up` as a process of its own, in a data directory of its own.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { removeSandboxes } from '../../src/cli/lib/remove-sandboxes.ts'
import { readConfig } from '../../src/config.ts'
import { tokenLimits } from '../../src/contract/token.ts'
import { openInstallation } from '../../src/installation.ts'
import { root } from './engine.ts'
import { checkerOf } from './openapi.ts'

const lab = join(root, 'lab')

type Environment = Record<string, string>

/** What suites need unless they say otherwise: no rate limits, no pool, and no job in place of a sandbox on a slow machine. */
const clean = (environment: Environment): NodeJS.ProcessEnv => {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('LAB_') && !name.startsWith('VITEST'))
  const usual = { LAB_LOG_LEVEL: 'warn', LAB_RATE_LIMIT_SCALE: '0', LAB_POOL: 'off', LAB_START_WAIT_SECONDS: '300' }
  return { ...Object.fromEntries(inherited), ...usual, ...environment }
}

/** A default course of two small containers, for suites that start very many sandboxes and look at something else. */
export const smallCatalog = { LAB_SCENARIOS_DIR: join(root, 'test/catalog') }

export interface LabRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts `./lab`; the caller may send it signals. */
export const startLabProcess = (args: readonly string[], environment: Environment = {}) => {
  const child = spawn(lab, args, { env: clean(environment), stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk
  })
  const ended = new Promise<LabRun>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
  return { child, ended }
}

/** Runs `./lab` to its end. */
export const runLab = (args: readonly string[], environment: Environment = {}): Promise<LabRun> => startLabProcess(args, environment).ended

export const createDataDir = () => mkdtemp(join(tmpdir(), 'incident-lab-'))

export interface ServerProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Resolves with the exit code once the process has ended. */
  readonly exited: Promise<number | null>
  readonly log: () => string
}

/** Starts `./lab up` and waits for its ready line. */
export const startServerProcess = async (dataDir: string, environment: Environment = {}, port = '0'): Promise<ServerProcess> => {
  const child = spawn(lab, ['up', '--port', port, '--data', dataDir, '--no-install'], {
    env: clean(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code))
  })
  const url = await new Promise<string>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      log += chunk
      if (!log.includes('Incident Lab is ready at ')) return
      readFile(join(dataDir, 'server.json'), 'utf8').then((text) => resolve(JSON.parse(text).url), reject)
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    exited.then((code) => reject(new Error(`the server ended with ${code}: ${log}`)))
  })
  return { url, child, exited, log: () => log }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any
}

/** Calls the API as a client would. Every answer must be one that the server's own document allows. */
export const createClient = (url: string, token?: string) => {
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    const answer = { status: response.status, headers: response.headers, body: text === '' ? undefined : isJson ? JSON.parse(text) : text }
    const complaint = (await checkerOf(url))(method, path, answer.status, answer.body)
    if (complaint !== null) throw new Error(`${method} ${path} answered ${answer.status} ${text.slice(0, 500)}: ${complaint}`)
    return answer
  }
}

/** As `./lab token create` makes one, without a process of its own. */
export const createToken = async (dataDir: string, environment: Environment = {}): Promise<string> => {
  const { store, accounts } = await openInstallation(readConfig({ ...environment, LAB_DATA_DIR: dataDir }))
  try {
    return (await accounts.issueToken(await accounts.operator(), 'test', tokenLimits.defaultDays)).token
  } finally {
    await store.close()
  }
}

/** Looks into the database of a running server, beside it. */
export const inDatabase = <T>(dataDir: string, work: (database: DatabaseSync) => T): T => {
  const database = new DatabaseSync(join(dataDir, 'lab.sqlite'), { timeout: 5_000 })
  try {
    return work(database)
  } finally {
    database.close()
  }
}

const endMs = 35_000

/** What `./lab down` does, without a process of its own: ends the server, if it still runs, and leaves nothing of it on the engine. */
const remove = async ({ child, exited }: ServerProcess, dataDir: string, environment: Environment): Promise<void> => {
  const patience = setTimeout(() => child.kill('SIGKILL'), endMs)
  child.kill('SIGTERM')
  await exited
  clearTimeout(patience)
  const installation = await openInstallation(readConfig({ ...environment, LAB_DATA_DIR: dataDir }))
  try {
    await removeSandboxes(installation)
    await installation.engine.removeInspectors()
  } finally {
    await installation.store.close()
  }
  await rm(dataDir, { recursive: true, force: true })
}

/** A server with a token; `close` leaves nothing of it. */
export const startLab = async (environment: Environment = {}) => {
  const dataDir = await createDataDir()
  const server = await startServerProcess(dataDir, environment)
  const token = await createToken(dataDir, environment)
  return {
    dataDir,
    server,
    token,
    url: server.url,
    call: createClient(server.url, token),
    close: () => remove(server, dataDir, environment),
  }
}

export type Lab = Awaited<ReturnType<typeof startLab>>

/** A server that can be killed and started again on the same data; `close` leaves nothing of it. */
export const startMortalLab = async (environment: Environment = {}) => {
  const dataDir = await createDataDir()
  let server = await startServerProcess(dataDir, environment)
  const token = await createToken(dataDir, environment)
  const inside = await openInstallation(readConfig({ ...environment, LAB_DATA_DIR: dataDir }))
  const kill = async () => {
    server.child.kill('SIGKILL')
    await server.exited
  }
  const start = async () => {
    server = await startServerProcess(dataDir, environment)
  }
  const revive = async () => {
    server = await startServerProcess(dataDir, environment, new URL(server.url).port)
  }
  return {
    dataDir,
    token,
    url: () => server.url,
    /** The same store and engine, without the server. */
    inside,
    /** As the operator, or with another token, or without one. */
    call: (method: string, path: string, body?: unknown, headers: Record<string, string> = {}, as: string | undefined = token) =>
      createClient(server.url, as)(method, `/api/v1${path}`, body, headers),
    kill,
    start,
    isAlive: () => server.child.exitCode === null && server.child.signalCode === null,
    log: () => server.log(),
    /** After it was killed: another one at the same address. */
    revive,
    /** Killed, and another one started at the same address. */
    replace: async () => {
      await kill()
      await revive()
    },
    /** Requests in progress when the server is killed fail at once. */
    rebirth: async (underWay?: Promise<unknown>) => {
      await kill()
      await underWay
      await start()
    },
    close: async () => {
      await inside.store.close()
      await remove(server, dataDir, environment)
    },
  }
}

export type MortalLab = Awaited<ReturnType<typeof startMortalLab>>

/** Rate limits in the format of the setting. */
export const writeRates = (rates: Record<string, number>): string =>
  Object.entries(rates)
    .map(([name, rate]) => `${name}=${rate}`)
    .join(',')
