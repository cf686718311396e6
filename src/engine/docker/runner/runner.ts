// The client of one runner, the program that executes commands in a container (runner.pl). A user may have replaced the runner.
// Whatever it does, each command is started at most once, its result comes soon after its timeout at the latest, and no more
// output than the caps is kept.
//
// Each command carries the latest moment at which it may be started, in milliseconds since the runner's hello. So a runner that was
// suspended for a while cannot start a command that the service has given up meanwhile.

import type { Duplex } from 'node:stream'
import { elapsedMs, stopwatch } from '../../../clock.ts'
import type { Command, CommandResult } from '../../engine.ts'
import { frameBytes } from '../frames.ts'
import { type Capture, createCapture, createDemultiplexer, ended, keepProcessAlive, outcomeWithin } from '../streams.ts'
import { createFrameReader, encodeCancel, encodeRun, type Frame } from './runner-frames.ts'

/** How long a runner may take to start a command, and its answer to arrive. */
const beginMs = 1_000
const transitMs = 500
/** How much later than its timeout the end of a command may be reported. */
const graceMs = 2_000
const drainMs = 2_000
const mostCommands = 100
const mostUnsentBytes = 1024 ** 2
/** How much may arrive on standard error, and for commands that were given up. A genuine runner sends far less. */
const mostStrayBytes = 16 * 1024 ** 2
/** The exit code of a command that was killed by SIGKILL. */
const killedCode = 137

export interface RunnerDeps {
  /** The engine's multiplexed stream to the runner. */
  readonly raw: Duplex
  /** Kills the runner, unless it has ended. */
  readonly kill: () => Promise<void>
  /** Kills process groups, by the pids of their leaders inside the container. */
  readonly killGroups: (leaders: readonly number[]) => Promise<void>
}

interface UnderWay {
  readonly stdout: Capture
  readonly stderr: Capture
  readonly settle: (frame: { exitCode: number | null; timedOut: boolean; stdoutBytes?: number; stderrBytes?: number } | null) => void
  readonly fail: (error: unknown) => void
  readonly timeoutMs: number
  readonly outputBytes: number
  readonly signal: AbortSignal | undefined
  timer: NodeJS.Timeout
  /** The pid of its process inside the container, once it has started. */
  leader: number | null
  overdue: boolean
}

export const createRunner = ({ raw, kill, killGroups }: RunnerDeps) => {
  const underWay = new Map<number, UnderWay>()
  const finished = ended(raw)
  let lastId = 0
  let helloAt = 0
  let closing = false
  let over = false
  let silent = false
  let strayBytes = 0
  const { promise: ready, resolve: greet } = Promise.withResolvers<void>()
  const { promise: gone, resolve: leave } = Promise.withResolvers<'closed' | 'failed'>()

  const settleAll = (settle: (command: UnderWay) => void) => {
    for (const command of [...underWay.values()]) settle(command)
  }

  /** Kills the runner and its commands. Commands that were not started can be run in another way. */
  const endWithAll = async () => {
    if (over) return
    over = true
    settleAll(({ timer }) => clearTimeout(timer))
    try {
      if (underWay.size > 0 || !raw.readableEnded) {
        await kill()
        await outcomeWithin(finished, drainMs)
      }
      await killGroups([...underWay.values()].flatMap(({ leader }) => leader ?? []))
      settleAll(({ settle, leader, overdue }) =>
        settle(leader === null ? null : { exitCode: overdue ? null : killedCode, timedOut: overdue }),
      )
    } catch (error) {
      settleAll(({ fail }) => fail(error))
    } finally {
      raw.destroy()
      leave(closing ? 'closed' : 'failed')
    }
  }

  /** The runner violated the protocol: it was replaced by another program, which is killed. */
  const violation = () => void endWithAll()

  const stray = (bytes: number) => {
    strayBytes += bytes
    if (strayBytes > mostStrayBytes) violation()
  }

  /** A runner that does not report the end of a command in time is killed. */
  const expectEnd = (command: UnderWay) => {
    if (over) return
    clearTimeout(command.timer)
    const expire = () => {
      command.overdue = true
      void endWithAll()
    }
    command.timer = setTimeout(expire, (command.signal?.aborted === true ? 0 : command.timeoutMs) + graceMs)
  }

  const take = (frame: Frame) => {
    silent = false
    if (frame.kind === 'hello') {
      if (helloAt > 0) return violation()
      helloAt = elapsedMs()
      return greet()
    }
    const command = underWay.get(frame.id)
    if (command === undefined) return frame.id > lastId ? violation() : stray(frame.kind === 'output' ? frame.bytes.length : frameBytes)
    if (frame.kind === 'output') {
      command[frame.stream].take(frame.bytes)
      if (command[frame.stream].bytes() > command.outputBytes) violation()
      return
    }
    if (frame.kind === 'refused') return command.settle(null)
    if (frame.kind === 'ended') return command.settle(frame)
    if (command.leader !== null) return violation()
    command.leader = frame.leader
    expectEnd(command)
  }

  const readInto = (take: Capture['take']): Capture => ({ take, bytes: () => 0, content: () => Buffer.alloc(0) })
  const frames = readInto(createFrameReader({ frame: take, garbage: violation }))
  raw.on(
    'data',
    createDemultiplexer(
      frames,
      readInto(({ length }) => stray(length)),
    ),
  )
  raw.on('error', () => raw.destroy())
  finished.then(endWithAll)

  /** An idle connection must not keep the server process from exiting. */
  const hold = () => keepProcessAlive(raw, underWay.size > 0)

  /** Null when the command was not started and will not be: it can be run in another way. */
  const run = (command: Command): Promise<CommandResult | null> =>
    new Promise((resolve, reject) => {
      lastId += 1
      const id = lastId
      const elapsed = stopwatch()
      const [stdout, stderr] = [createCapture(command.outputBytes), createCapture(command.outputBytes)]
      const cancel = () => {
        const known = underWay.get(id)
        if (known !== undefined && known.leader !== null) expectEnd(known)
        if (!over && !closing) raw.write(encodeCancel(id))
      }
      const remove = () => {
        command.signal?.removeEventListener('abort', cancel)
        clearTimeout(underWay.get(id)?.timer)
        underWay.delete(id)
        hold()
        if (silent && underWay.size === 0) void endWithAll()
      }
      underWay.set(id, {
        ...{ stdout, stderr, leader: null, overdue: false, timeoutMs: command.timeoutMs, outputBytes: command.outputBytes },
        signal: command.signal,
        timer: setTimeout(() => {
          silent = true
          remove()
          resolve(null)
        }, beginMs + transitMs),
        fail: (error) => {
          remove()
          reject(error)
        },
        settle: (how) => {
          remove()
          if (how === null) return resolve(null)
          resolve({
            stdout: stdout.content(),
            stderr: stderr.content(),
            stdoutBytes: Math.max(stdout.bytes(), how.stdoutBytes ?? 0),
            stderrBytes: Math.max(stderr.bytes(), how.stderrBytes ?? 0),
            exitCode: how.timedOut ? null : how.exitCode,
            timedOut: how.timedOut,
            durationMs: elapsed(),
          })
        },
      })
      hold()
      const frame = {
        argv: command.argv,
        input: Buffer.from(command.stdin ?? ''),
        workingDirectory: command.workingDirectory ?? '',
        timeoutMs: command.timeoutMs,
        outputBytes: command.outputBytes,
        tailBytes: command.tailBytes ?? 0,
        beginBeforeMs: elapsedMs() - helloAt + beginMs,
      }
      raw.write(encodeRun(id, frame))
      if (command.signal?.aborted === true) cancel()
      else command.signal?.addEventListener('abort', cancel, { once: true })
    })

  return {
    ready,
    gone,
    run,
    usable: () => !over && !closing && !silent && underWay.size < mostCommands && raw.writableLength < mostUnsentBytes,
    idle: () => underWay.size === 0,
    endWithAll,
    /** The runner ends when its commands have ended. */
    close: () => {
      closing = true
      raw.end()
    },
  }
}

export type Runner = ReturnType<typeof createRunner>
