// One runner in a container, seen from this side of its stream. Whatever it does, each command is begun at most once, its
// result comes at the latest a little after its time, and no more than the caps is held.
//
// A command carries the last moment at which it may be begun, on the runner's own clock, which this side knows to be at least
// as far as the time since its hello. So a runner that was stopped for a while cannot begin what was given up meanwhile.

import type { Duplex } from 'node:stream'
import { elapsedMs, stopwatch } from '../../../clock.ts'
import type { Command, CommandResult } from '../../engine.ts'
import { frameBytes } from '../frames.ts'
import { type Capture, createCapture, createDemultiplexer, ended, outcomeWithin } from '../streams.ts'
import { createFrameReader, encodeRun, type Frame } from './runner-frames.ts'

/** How long a runner may take to begin a command, and its word to get here. */
const beginMs = 1_000
const transitMs = 500
/** How much later than its time a command may be reported. */
const graceMs = 2_000
const drainMs = 2_000
const mostCommands = 100
const mostUnsentBytes = 1024 ** 2
/** What may come on standard error, and about commands that were given up. A runner of ours says far less. */
const mostStrayBytes = 16 * 1024 ** 2
/** As the engine reports a command that was killed. */
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

  /** Whatever is left of the runner and its commands is killed; what it had not begun is left to others. */
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

  /** What no runner of ours would say: it was replaced, and whoever speaks for it could go on forever. */
  const breach = () => void endWithAll()

  const stray = (bytes: number) => {
    strayBytes += bytes
    if (strayBytes > mostStrayBytes) breach()
  }

  const take = (frame: Frame) => {
    silent = false
    if (frame.kind === 'hello') {
      if (helloAt > 0) return breach()
      helloAt = elapsedMs()
      return greet()
    }
    const command = underWay.get(frame.id)
    if (command === undefined) return frame.id > lastId ? breach() : stray(frame.kind === 'output' ? frame.bytes.length : frameBytes)
    if (frame.kind === 'output') {
      command[frame.stream].take(frame.bytes)
      if (command[frame.stream].bytes() > command.outputBytes) breach()
      return
    }
    if (frame.kind === 'refused') return command.settle(null)
    if (frame.kind === 'ended') return command.settle(frame)
    if (command.leader !== null) return breach()
    command.leader = frame.leader
    if (over) return
    clearTimeout(command.timer)
    command.timer = setTimeout(() => {
      command.overdue = true
      void endWithAll()
    }, command.timeoutMs + graceMs)
  }

  const readInto = (take: Capture['take']): Capture => ({ take, bytes: () => 0, content: () => Buffer.alloc(0) })
  const frames = readInto(createFrameReader({ frame: take, garbage: breach }))
  raw.on(
    'data',
    createDemultiplexer(
      frames,
      readInto(({ length }) => stray(length)),
    ),
  )
  raw.on('error', () => raw.destroy())
  finished.then(endWithAll)

  /** An idle connection keeps no process alive. */
  const hold = () => {
    const socket = raw as Partial<{ ref(): void; unref(): void }>
    if (underWay.size > 0) socket.ref?.()
    else socket.unref?.()
  }

  /** Null when the command was not begun, and will not be: it may be run in another way. */
  const run = (command: Command): Promise<CommandResult | null> =>
    new Promise((resolve, reject) => {
      lastId += 1
      const id = lastId
      const elapsed = stopwatch()
      const [stdout, stderr] = [createCapture(command.outputBytes), createCapture(command.outputBytes)]
      const remove = () => {
        clearTimeout(underWay.get(id)?.timer)
        underWay.delete(id)
        hold()
        if (silent && underWay.size === 0) void endWithAll()
      }
      underWay.set(id, {
        ...{ stdout, stderr, leader: null, overdue: false, timeoutMs: command.timeoutMs, outputBytes: command.outputBytes },
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
        beginBeforeMs: elapsedMs() - helloAt + beginMs,
      }
      raw.write(encodeRun(id, frame))
    })

  return {
    ready,
    gone,
    run,
    usable: () => !over && !closing && !silent && underWay.size < mostCommands && raw.writableLength < mostUnsentBytes,
    idle: () => underWay.size === 0,
    endWithAll,
    /** It goes when what it runs has ended. */
    close: () => {
      closing = true
      raw.end()
    },
  }
}

export type Runner = ReturnType<typeof createRunner>
