// Runs commands in an existing container by the engine's own exec: no program of the container is involved in starting them.

import type { Exec, ExecInspectInfo } from 'dockerode'
import { isLabError } from '../../errors.ts'
import { poll } from '../../polling.ts'
import type { Channel, Command, CommandResult } from '../engine.ts'
import { explainStartError } from './command-start-errors.ts'
import { call, type Docker } from './connection.ts'
import { drainMs, followCommand } from './follow-command.ts'
import type { KillGroup } from './kill-group.ts'
import { ended, keepProcessAlive, outcomeWithin, plainStream } from './streams.ts'

/** How long to wait for the exit code of a command. A tracer in the container could hold the command for ever. */
const patienceMs = 5_000

/** Polls an exec until it is in the wanted state; null when that takes too long. */
const stateWhen = async (exec: Exec, isWanted: (state: ExecInspectInfo) => boolean): Promise<ExecInspectInfo | null> => {
  const state = await poll(() => call(() => exec.inspect()), isWanted, { pauseMs: 5, withinMs: patienceMs })
  return isWanted(state) ? state : null
}

const hasEnded = ({ Running, ExitCode }: ExecInspectInfo) => !Running && ExitCode !== null

/** The pid on the engine's host of the process that an exec starts; 0 for one that never started. */
export const leaderOf = async (exec: Exec): Promise<number> =>
  (await stateWhen(exec, (state) => state.Pid > 0 || hasEnded(state)))?.Pid ?? 0

/**
 * Runs a command in a working directory that a user named. A shell in the container changes to it: the runtime would do so before
 * it has fully entered the container, where a path like /proc/self/fd/7 can lead outside (CVE-2024-21626).
 */
export const inFolder = (folder: string | undefined, argv: readonly string[]): string[] =>
  folder === undefined ? [...argv] : ['sh', '-c', 'cd -- "$0" || exit 126; exec "$@"', folder, ...argv]

/** Null when it has ended. The engine closes a stream a moment before it knows that. */
export const processOf = async (exec: Exec): Promise<number | null> => {
  try {
    const { Running, Pid } = await poll(
      () => call(() => exec.inspect()),
      (state) => !state.Running,
      { pauseMs: 10, withinMs: 200 },
    )
    return Running ? Pid : null
  } catch (error) {
    if (isLabError(error, 'not_found')) return null
    throw error
  }
}

/** Throws not_found and container_not_running. */
export const execInContainer = async (
  docker: Docker,
  containerId: string,
  command: Command,
  killGroup: KillGroup,
): Promise<CommandResult> => {
  let isStarted = true
  const result = await followCommand(command, async () => {
    const exec = await call(() =>
      docker.getContainer(containerId).exec({
        Cmd: inFolder(command.workingDirectory, command.argv),
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
      }),
    )
    const stream = await call(() => exec.start({ hijack: true, stdin: true }))
    return {
      stream,
      kill: async () => killGroup(await leaderOf(exec), containerId),
      exitCode: async () => {
        const state = await stateWhen(exec, hasEnded) // the engine closes the stream a moment before it knows the exit code
        if (state === null) await killGroup(await leaderOf(exec), containerId)
        isStarted = state?.Pid !== 0
        return state?.ExitCode ?? null
      },
    }
  })
  return isStarted ? result : explainStartError(result, command.argv[0] ?? '')
}

export interface ExecChannelOptions {
  /** Kills a program that does not end when its input is closed. */
  readonly killTimedOut?: (leader: number) => Promise<unknown>
  /** The working directory that the runtime itself changes to; only the isolation check uses it. */
  readonly runtimeFolder?: string
}

export interface ExecChannel extends Channel {
  readonly containerId: string
  /** Resolves when the program has ended, even if nothing reads its output. */
  readonly finished: Promise<void>
  /** Whether the open channel keeps this process running. */
  keepAlive(wanted: boolean): void
}

/** Starts a program whose standard input and output stay open; closing its input ends it. */
export const openExec = async (
  docker: Docker,
  containerId: string,
  argv: readonly string[],
  { killTimedOut, runtimeFolder }: ExecChannelOptions = {},
): Promise<ExecChannel> => {
  const exec = await call(() =>
    docker.getContainer(containerId).exec({
      Cmd: [...argv],
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      ...(runtimeFolder === undefined ? {} : { WorkingDir: runtimeFolder }),
    }),
  )
  const raw = await call(() => exec.start({ hijack: true, stdin: true }))
  const finished = ended(raw)
  return {
    containerId,
    stream: plainStream(raw),
    finished,
    keepAlive: (wanted) => keepProcessAlive(raw, wanted),
    close: async () => {
      raw.end()
      if ((await outcomeWithin(finished, drainMs)) === 'timeout') {
        await leaderOf(exec)
          .then((leader) => killTimedOut?.(leader))
          .catch(() => undefined) // its container has ended
      }
      raw.destroy()
    },
  }
}
