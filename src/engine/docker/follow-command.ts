// Follows a command to its end: collects its output, and kills it on timeout, or when it is cancelled.

import type { Duplex } from 'node:stream'
import type { Container, ContainerCreateOptions } from 'dockerode'
import { stopwatch } from '../../clock.ts'
import type { Command, CommandResult } from '../engine.ts'
import { call, type Docker, ignoreMissing } from './connection.ts'
import { exitCodeOf } from './docker-responses.ts'
import { createCapture, createDemultiplexer, ended, outcomeWithin } from './streams.ts'

/** How long the output may still flow after the command was killed. */
export const drainMs = 2_000

export interface Running {
  readonly stream: Duplex
  readonly kill: () => Promise<unknown>
  /** Null for a command that has closed its output and does not end. */
  readonly exitCode: () => Promise<number | null>
}

const cancelled = ({ signal }: Command): Promise<'timeout'> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) resolve('timeout')
    else signal?.addEventListener('abort', () => resolve('timeout'), { once: true })
  })

export const followCommand = async (command: Command, start: () => Promise<Running>): Promise<CommandResult> => {
  const elapsed = stopwatch()
  const stdout = createCapture(command.outputBytes, command.tailBytes)
  const stderr = createCapture(command.outputBytes, command.tailBytes)
  const running = await start()
  running.stream.on('data', createDemultiplexer(stdout, stderr))
  const finished = ended(running.stream)
  running.stream.end(command.stdin ?? '')
  const timedOut = (await Promise.race([outcomeWithin(finished, command.timeoutMs), cancelled(command)])) === 'timeout'
  if (timedOut) {
    await running.kill()
    await outcomeWithin(finished, drainMs)
    running.stream.destroy()
  }
  const exitCode = timedOut ? null : await running.exitCode()
  return {
    stdout: stdout.content(),
    stderr: stderr.content(),
    stdoutBytes: stdout.bytes(),
    stderrBytes: stderr.bytes(),
    exitCode,
    timedOut: exitCode === null,
    durationMs: elapsed(),
  }
}

const withInput = { OpenStdin: true, StdinOnce: true, AttachStdin: true, AttachStdout: true, AttachStderr: true }

/** Starts a container with its standard streams in hand: nothing that it says is missed. */
export const attachAndStart = async (container: Container): Promise<Duplex> => {
  const raw = (await call(() => container.attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true }))) as Duplex
  await call(() => container.start())
  return raw
}

export const runContainer = async (docker: Docker, options: ContainerCreateOptions, command: Command): Promise<CommandResult> => {
  const container = await call(() => docker.createContainer({ ...options, ...withInput }))
  try {
    return await followCommand(command, async () => {
      const stream = await attachAndStart(container)
      return {
        stream,
        kill: () => ignoreMissing(() => container.kill()),
        exitCode: () => exitCodeOf(container),
      }
    })
  } finally {
    await ignoreMissing(() => container.remove({ force: true, v: true }))
  }
}
