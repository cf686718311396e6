// Manages the runners, one per container: started with the first command, closed when idle, not used for a while after repeated
// failures. Users may kill, stop or replace them at any time; then commands run by the engine's own exec.

import { join } from 'node:path'
import { type CircuitBreaker, createCircuitBreaker } from '../../../circuit-breaker.ts'
import { elapsedMs } from '../../../clock.ts'
import type { Command, CommandResult } from '../../engine.ts'
import { call, type Docker } from '../connection.ts'
import { processOf } from '../exec.ts'
import type { Kill } from '../kill-group.ts'
import { readPerlProgram } from '../perl-programs.ts'
import { outcomeWithin } from '../streams.ts'
import { createRunner, type Runner } from './runner.ts'

const program = readPerlProgram(join(import.meta.dirname, 'runner.pl'))
const helloMs = 2_000
const idleMs = 5 * 60_000
/** After this many failures a container's runner is started again only once a minute. */
const patience = { mostFailures: 2, firstPauseMs: 60_000, longestPauseMs: 60_000 } as const
/** A runner keeps the input of its commands in the container's memory. */
const largestInput = 64 * 1024

interface RunnerEntry {
  readonly sandbox: string
  runner: Promise<Runner | null> | null
  readonly breaker: CircuitBreaker
  lastUsed: number
}

export const createRunners = ({ docker, kill }: { readonly docker: Docker; readonly kill: Kill }) => {
  /** By the container's id. */
  const entries = new Map<string, RunnerEntry>()

  const start = async (sandbox: string, containerId: string): Promise<Runner> => {
    const main = await kill.mainOf(containerId)
    const exec = await call(() =>
      docker.getContainer(containerId).exec({ Cmd: ['perl', '-e', program], AttachStdin: true, AttachStdout: true, AttachStderr: true }),
    )
    const raw = await call(() => exec.start({ hijack: true, stdin: true }))
    return createRunner({
      raw,
      kill: async () => {
        const process = await processOf(exec)
        if (process !== null) await kill.group(sandbox)(process, containerId)
      },
      killGroups: (leaders) => kill.groupsInside(sandbox, containerId, main, leaders),
    })
  }

  const leaveWhenIdle = (entry: RunnerEntry, runner: Runner) => {
    const timer = setInterval(() => {
      if (runner.idle() && elapsedMs() - entry.lastUsed >= idleMs) runner.close()
    }, idleMs / 5)
    timer.unref()
    runner.gone.then(() => clearInterval(timer))
  }

  const open = async (entry: RunnerEntry, containerId: string): Promise<Runner | null> => {
    const runner = await start(entry.sandbox, containerId)
    runner.gone.then((how) => {
      entry.runner = null
      if (how === 'failed') entry.breaker.failed()
      else entry.breaker.succeeded()
    })
    const greeted = Promise.race([runner.ready.then(() => true), runner.gone.then(() => false)])
    if ((await outcomeWithin(greeted, helloMs)) === 'timeout') void runner.endWithAll()
    else if (await greeted) {
      leaveWhenIdle(entry, runner)
      return runner
    }
    return null
  }

  const runnerOf = (entry: RunnerEntry, containerId: string): Promise<Runner | null> => {
    if (entry.runner !== null) return entry.runner
    const opening = open(entry, containerId)
    entry.runner = opening
    opening.catch(() => {
      if (entry.runner === opening) entry.runner = null
    })
    return opening
  }

  return {
    /** Null when the command was not run and has to be run in another way. */
    run: async (sandbox: string, containerId: string, command: Command): Promise<CommandResult | null> => {
      if (Buffer.byteLength(command.stdin ?? '') > largestInput) return null
      const entry = entries.get(containerId) ?? { sandbox, runner: null, breaker: createCircuitBreaker(patience), lastUsed: 0 }
      entries.set(containerId, entry)
      entry.lastUsed = elapsedMs()
      if (entry.breaker.isOpen()) return null
      const runner = await runnerOf(entry, containerId)
      return runner?.usable() ? runner.run(command) : null
    },

    /** For containers that are restarted or removed. */
    close: (isMeant: (containerId: string, sandbox: string) => boolean): void => {
      for (const [containerId, entry] of entries) {
        if (!isMeant(containerId, entry.sandbox)) continue
        entries.delete(containerId)
        entry.runner?.then(
          (runner) => runner?.close(),
          () => undefined,
        )
      }
    },
  }
}

export type Runners = ReturnType<typeof createRunners>
