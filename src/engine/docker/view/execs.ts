// The execs of a container view. An exec is created on the engine only when it is started; its id is known to this view only.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Duplex, Transform } from 'node:stream'
import type { Exec } from 'dockerode'
import { isLabError } from '../../../errors.ts'
import { poll } from '../../../polling.ts'
import { call, type Docker } from '../connection.ts'
import { inFolder } from '../exec.ts'
import type { ExecCreate, ExecStart } from './requests.ts'
import { Refusal } from './requests.ts'
import type { VisibleContainer } from './visible-containers.ts'

const become = readFileSync(join(import.meta.dirname, 'become.pl'), 'utf8')
/** Accepted as user: commands in services run as root anyway. */
const root = ['', '0', 'root', '0:0', 'root:root']
const argvOf = ({ User, Cmd, WorkingDir }: ExecCreate) =>
  inFolder(WorkingDir === '' ? undefined : WorkingDir, root.includes(User) ? Cmd : ['perl', '-e', become, User, ...Cmd])

const mostRemembered = 256
/** The engine closes the stream a moment before it knows the exit code. */
const exitPatienceMs = 3_000

interface Remembered {
  readonly seen: VisibleContainer
  readonly spec: ExecCreate
  exec: Exec | null
  isStarted: boolean
  streamEnded: boolean
}

export interface ExecsDeps {
  readonly docker: Docker
  /** Awaited before a command is started, or receives input. */
  readonly beforeChange: () => Promise<void>
}

export const createExecs = ({ docker, beforeChange }: ExecsDeps) => {
  const known = new Map<string, Remembered>()

  const find = (id: string): Remembered => {
    const found = known.get(id)
    if (found === undefined) throw new Refusal(404, `No such exec instance: ${id}`)
    return found
  }

  const start = async (entry: Remembered): Promise<Exec> => {
    if (entry.isStarted) throw new Refusal(409, 'this command has been started')
    entry.isStarted = true
    await beforeChange()
    const { spec, seen } = entry
    try {
      entry.exec = await call(() =>
        docker.getContainer(seen.engineId).exec({
          Cmd: argvOf(spec),
          Tty: spec.Tty,
          AttachStdin: spec.AttachStdin,
          AttachStdout: spec.AttachStdout,
          AttachStderr: spec.AttachStderr,
          Privileged: false,
          Env: spec.Env,
          ...(spec.DetachKeys === '' ? {} : { DetachKeys: spec.DetachKeys }),
        }),
      )
    } catch (error) {
      if (isLabError(error, 'container_not_running')) throw new Refusal(409, `Container ${seen.name} is not running`)
      throw isLabError(error) ? error : new Refusal(400, 'the command cannot be run: check its working directory and keys')
    }
    return entry.exec
  }

  const stateOf = (exec: Exec, hasEnded: boolean) =>
    poll(
      () => call(() => exec.inspect()),
      ({ Running }) => !Running || !hasEnded,
      { pauseMs: 10, withinMs: exitPatienceMs },
    )

  return {
    create: (seen: VisibleContainer, spec: ExecCreate): string => {
      const id = randomBytes(32).toString('hex')
      known.set(id, { seen, spec, exec: null, isStarted: false, streamEnded: false })
      const [oldest] = known.keys()
      if (known.size > mostRemembered && oldest !== undefined) known.delete(oldest)
      return id
    },

    startDetached: async (id: string): Promise<void> => {
      const exec = await start(find(id))
      await call(() => exec.start({ Detach: true }))
    },

    /** Starts a command and connects its streams to the client. Calls `accept` before the first byte. */
    startAttached: async (id: string, { Tty }: ExecStart, client: Duplex, accept: () => void): Promise<void> => {
      const entry = find(id)
      if (Tty !== entry.spec.Tty) throw new Refusal(400, 'Tty differs from what the command was created with')
      const exec = await start(entry)
      const engine: Duplex = await call(() => exec.start({ hijack: true, stdin: true, Tty }))
      const held = new Transform({
        transform: (chunk, _encoding, done) => {
          beforeChange().then(() => done(null, chunk), done)
        },
      })
      engine.once('end', () => {
        entry.streamEnded = true
      })
      for (const part of [client, held, engine]) part.on('error', () => part.destroy())
      client.once('close', () => engine.destroy())
      engine.once('close', () => client.end())
      accept()
      client.pipe(held).pipe(engine)
      engine.pipe(client)
    },

    resize: async (id: string, size: { readonly w: number; readonly h: number }): Promise<void> => {
      const { exec } = find(id)
      if (exec === null) throw new Refusal(409, 'this command has not been started')
      await call(() => exec.resize(size)).catch(() => undefined) // it has ended
    },

    inspect: async (id: string) => {
      const { exec, seen, spec, streamEnded } = find(id)
      const state = exec === null ? null : await stateOf(exec, streamEnded)
      const [entrypoint = '', ...rest] = spec.Cmd
      return {
        ID: id,
        Running: state?.Running ?? false,
        ExitCode: state?.ExitCode ?? null,
        ProcessConfig: { tty: spec.Tty, entrypoint, arguments: rest, privileged: false, user: spec.User },
        OpenStdin: spec.AttachStdin,
        OpenStderr: spec.AttachStderr,
        OpenStdout: spec.AttachStdout,
        CanRemove: false,
        ContainerID: seen.id,
        DetachKeys: '',
        Pid: 0,
      }
    },
  }
}

export type Execs = ReturnType<typeof createExecs>
