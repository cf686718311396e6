// Running a command: in an existing container (exec), or as a short-lived container of its own.
// Both collect output the same way; they differ in how a command that does not end is killed.

import type { Duplex } from 'node:stream'
import type { Container, ContainerCreateOptions, Exec } from 'dockerode'
import { stopwatch } from '../../clock.ts'
import type { Channel, Command, CommandResult } from '../engine.ts'
import { call, type Docker, ignoreMissing } from './connection.ts'
import { createCapture, createDemultiplexer, ended, outcomeWithin, plainStream } from './streams.ts'

/** How long the output may still flow after the command was killed. */
const drainMs = 2_000

interface Running {
  readonly stream: Duplex
  readonly kill: () => Promise<unknown>
  readonly exitCode: () => Promise<number | null>
}

const follow = async (command: Command, start: () => Promise<Running>): Promise<CommandResult> => {
  const elapsed = stopwatch()
  const stdout = createCapture(command.outputBytes)
  const stderr = createCapture(command.outputBytes)
  const running = await start()
  running.stream.on('data', createDemultiplexer(stdout, stderr))
  const finished = ended(running.stream)
  running.stream.end(command.stdin ?? '')
  const timedOut = (await outcomeWithin(finished, command.timeoutMs)) === 'late'
  if (timedOut) {
    await running.kill()
    await outcomeWithin(finished, drainMs)
    running.stream.destroy()
  }
  return {
    stdout: stdout.content(),
    stderr: stderr.content(),
    stdoutBytes: stdout.bytes(),
    stderrBytes: stderr.bytes(),
    exitCode: timedOut ? null : await running.exitCode(),
    timedOut,
    durationMs: elapsed(),
  }
}

/** The engine closes the stream a moment before it knows the exit code. */
const exitCodeOf = async (exec: Exec): Promise<number> => {
  for (;;) {
    const state = await call(() => exec.inspect())
    if (!state.Running && state.ExitCode !== null) return state.ExitCode
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** The number on the engine's host of the process that an exec starts. A command may be called off before it has begun. */
export const leaderOf = async (exec: Exec): Promise<number> => {
  for (;;) {
    const state = await call(() => exec.inspect())
    if (state.Pid > 0 || (!state.Running && state.ExitCode !== null)) return state.Pid
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Kills the process group led by a process, given by its number on the engine's host. */
export type KillGroup = (leader: number, containerId: string) => Promise<void>

/**
 * Runs beside the engine with the leader's number and that of the container's main process. Kills the leader's group,
 * also when the leader itself has ended, and the foreground of its terminal; only in the container's own process namespace.
 */
export const killScript = `
leader=$1
home=$(readlink "/proc/$2/ns/pid") || exit 0
groups=
for process in /proc/[0-9]*; do
  { read -r stat < "$process/stat"; } 2>/dev/null || continue
  set -- \${stat##*) }
  [ "$3" = "$leader" ] || { [ "$4" = "$leader" ] && [ "$3" = "$6" ]; } || continue
  [ "$(readlink "$process/ns/pid")" = "$home" ] && groups="$groups -$3"
done
[ -z "$groups" ] || kill -s KILL -- $groups`

/** A command that could not be run at all: the engine says so on standard output, where the command's own words belong. */
const unrunnable = (result: CommandResult): CommandResult => {
  const said = result.stdout.toString()
  if (![126, 127].includes(result.exitCode ?? 0) || !said.startsWith('OCI runtime exec failed')) return result
  const reason = said
    .trim()
    .replace(/^.*(?:process: |exec failed: )/s, '')
    .replace(/: unknown$/, '')
  const stderr = Buffer.from(`${reason}\n`)
  return { ...result, stdout: Buffer.alloc(0), stdoutBytes: 0, stderr, stderrBytes: stderr.length }
}

export const execInContainer = async (
  docker: Docker,
  containerId: string,
  command: Command,
  killGroup: KillGroup,
): Promise<CommandResult> =>
  unrunnable(
    await follow(command, async () => {
      const exec = await call(() =>
        docker.getContainer(containerId).exec({
          Cmd: [...command.argv],
          AttachStdin: true,
          AttachStdout: true,
          AttachStderr: true,
          ...(command.workingDirectory === undefined ? {} : { WorkingDir: command.workingDirectory }),
        }),
      )
      const stream = await call(() => exec.start({ hijack: true, stdin: true }))
      return {
        stream,
        kill: async () => killGroup(await leaderOf(exec), containerId),
        exitCode: () => exitCodeOf(exec),
      }
    }),
  )

/** An exec that goes on reading; closing its input ends it. */
export const openExec = async (docker: Docker, containerId: string, argv: readonly string[]): Promise<Channel> => {
  const exec = await call(() =>
    docker.getContainer(containerId).exec({ Cmd: [...argv], AttachStdin: true, AttachStdout: true, AttachStderr: true }),
  )
  const raw = await call(() => exec.start({ hijack: true, stdin: true }))
  return {
    stream: plainStream(raw),
    close: async () => {
      raw.end()
      await outcomeWithin(ended(raw), drainMs)
      raw.destroy()
    },
  }
}

const withInput = { OpenStdin: true, StdinOnce: true, AttachStdin: true, AttachStdout: true, AttachStderr: true }

const attachAndStart = async (container: Container): Promise<Duplex> => {
  const raw = (await call(() => container.attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true }))) as Duplex
  await call(() => container.start())
  return raw
}

export const runContainer = async (docker: Docker, options: ContainerCreateOptions, command: Command): Promise<CommandResult> => {
  const container = await call(() => docker.createContainer({ ...options, ...withInput }))
  try {
    return await follow(command, async () => {
      const stream = await attachAndStart(container)
      return {
        stream,
        kill: () => ignoreMissing(() => container.kill()),
        exitCode: async () => ((await call(() => container.wait())) as { StatusCode: number }).StatusCode,
      }
    })
  } finally {
    await ignoreMissing(() => container.remove({ force: true, v: true }))
  }
}
