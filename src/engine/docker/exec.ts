// Processes in an existing container, started by the engine itself: no program of the container takes part in that.

import type { Exec } from 'dockerode'
import { isLabError } from '../../errors.ts'
import type { Channel, Command, CommandResult } from '../engine.ts'
import { call, type Docker } from './connection.ts'
import type { KillGroup } from './kill.ts'
import { drainMs, follow } from './run.ts'
import { ended, outcomeWithin, plainStream } from './streams.ts'

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

/** Null when it has ended. The engine closes a stream a moment before it knows that. */
export const processOf = async (exec: Exec): Promise<number | null> => {
  try {
    for (let looks = 1; ; looks += 1) {
      const state = await call(() => exec.inspect())
      if (!state.Running) return null
      if (looks === 10) return state.Pid
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  } catch (error) {
    if (isLabError(error, 'not_found')) return null
    throw error
  }
}

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
