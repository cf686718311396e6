// A real PostgreSQL for a test: installed if need be, in a folder of its own, on a socket and a free port of its own.

import { spawn } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aptInstall, run } from '../../src/run-program.ts'

const findTools = () =>
  globSync('/usr/lib/postgresql/*/bin')
    .filter((folder) => existsSync(join(folder, 'initdb')))
    .sort()
    .at(-1)

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const trial = createServer()
    trial.once('error', reject)
    trial.listen(0, '127.0.0.1', () => {
      const { port } = trial.address() as { port: number }
      trial.close(() => resolve(port))
    })
  })

export const startPostgres = async () => {
  if (findTools() === undefined) await aptInstall(['postgresql'])
  const tools = findTools()
  if (tools === undefined) throw new Error('PostgreSQL could not be installed')
  const folder = await mkdtemp(join(tmpdir(), 'incident-lab-pg-'))
  const data = join(folder, 'data')
  const port = await freePort()
  const asRoot = process.getuid?.() === 0
  const user = asRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
  if (asRoot) {
    const [uid, gid] = (await run('id', ['-u', 'postgres']))
      .trim()
      .split(' ')
      .concat((await run('id', ['-g', 'postgres'])).trim())
    await chown(folder, Number(uid), Number(gid))
  }
  const as = (program: string, args: string[]) => [...user, join(tools, program), ...args] as [string, ...string[]]
  const [initProgram, ...initArgs] = as('initdb', ['-D', data, '-U', 'lab', '--auth=trust', '--no-sync', '-E', 'UTF8'])
  await run(initProgram, initArgs)
  const settings = [
    `-cport=${port}`,
    '-clisten_addresses=127.0.0.1',
    `-cunix_socket_directories=${folder}`,
    '-cfsync=off',
    '-cmax_connections=50',
  ]

  const start = async () => {
    const [program, ...args] = as('postgres', ['-D', data, ...settings])
    const child = spawn(program, args, { stdio: 'ignore' })
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => resolve())
    })
    for (let attempt = 0; ; attempt += 1) {
      const ready = await run(join(tools, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).then(
        () => true,
        () => false,
      )
      if (ready) break
      if (attempt > 150) throw new Error('PostgreSQL did not start')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return {
      stop: async (signal: NodeJS.Signals = 'SIGINT') => {
        child.kill(signal)
        await ended
      },
    }
  }

  let running = await start()
  const admin = (statement: string) =>
    run(join(tools, 'psql'), ['-h', '127.0.0.1', '-p', String(port), '-U', 'lab', '-d', 'postgres', '-c', statement])
  return {
    /** The URL of a new, empty database. */
    createDatabase: async (name: string): Promise<string> => {
      await admin(`create database "${name}"`)
      return `postgres://lab@127.0.0.1:${port}/${name}`
    },
    /** SIGINT ends it in order; SIGQUIT as if it had crashed. */
    restart: async (signal?: NodeJS.Signals) => {
      await running.stop(signal)
      running = await start()
    },
    close: async () => {
      await running.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type Postgres = Awaited<ReturnType<typeof startPostgres>>
