// Operations on running sandboxes: exec, read, list, extend, restart, stop. starts.ts starts them.

import type { Account, LabHolder } from '../../accounts/caller.ts'
import { addMinutes, type Clock } from '../../clock.ts'
import type { Limits } from '../../configured-limits.ts'
import { execLimits, type SandboxExecRequest, type SandboxExecResponse, type SandboxSession } from '../../contract/sandbox.ts'
import type { Engine } from '../../engine/engine.ts'
import { isLabError, LabError, messageOf } from '../../errors.ts'
import type { GradingLock } from '../../grading/grading-lock.ts'
import type { Log } from '../../log.ts'
import { type RetryOptions, retry } from '../../polling.ts'
import { requireRunning } from '../../store/require-running.ts'
import type { EndedBy, SandboxRow, SandboxStore } from '../../store/sandboxes.ts'
import { type Access, serviceIn } from '../access.ts'
import type { Recorder } from '../record/recorder.ts'
import type { SessionResponses } from '../session-response.ts'
import type { Starts } from '../start/starts.ts'
import { type OutputBounds, shortened } from './shortened-output.ts'
import { createWhileRunning, hasSucceeded } from './while-running.ts'

export interface SandboxOperationsDeps {
  readonly store: SandboxStore
  readonly engine: Engine
  readonly access: Access
  readonly gradingLock: GradingLock
  readonly sessionResponses: SessionResponses
  readonly starts: Starts
  readonly recorder: Recorder
  readonly clock: Clock
  readonly log: Log
  readonly limits: Limits
}

/** REST callers get the beginning of an output, as long as it may be. */
const wholeOutput: OutputBounds = { outputBytes: execLimits.outputBytes, tailBytes: 0 }

const discardRetry: RetryOptions = { pauseMs: (attempt) => 500 * 2 ** attempt, withinMs: 30_000 }

export interface ExecOptions {
  readonly bounds?: OutputBounds
  /** Cancels the command. */
  readonly signal?: AbortSignal | undefined
}

export interface ExecResult extends SandboxExecResponse {
  /** Whether a part of an output was left out. */
  readonly truncated: boolean
}

export const createSandboxOperations = (deps: SandboxOperationsDeps) => {
  const { store, engine, access, gradingLock, sessionResponses, starts, recorder, clock, log, limits } = deps
  const current = async (row: SandboxRow): Promise<SandboxSession> => sessionResponses.of((await store.find(row.id)) ?? row)

  const whileRunning = createWhileRunning(store)

  const stop = async (row: SandboxRow, by: EndedBy = {}): Promise<SandboxSession> => {
    const endsNow = await store.markTerminated(row.id, 'stopped', clock.now().toISOString(), by)
    if (!endsNow) return current(row)
    await engine.destroy(row.id).catch((error: unknown) => {
      if (!isLabError(error, 'engine_unavailable')) throw error
      log.warn({ sandbox: row.id }, 'the engine does not answer; a stopped sandbox will be removed later')
    })
    void starts.advance()
    return current(row)
  }

  return {
    /** Waits while the sandbox is being graded. A command that is cancelled ends as by its timeout. */
    exec: async (
      row: SandboxRow,
      request: Omit<SandboxExecRequest, 'session_id'>,
      { bounds = wholeOutput, signal }: ExecOptions = {},
    ): Promise<ExecResult> => {
      requireRunning(row)
      const service = serviceIn(row, request.container)
      await gradingLock.released(row.id)
      if (signal?.aborted === true) throw new LabError('request_timeout', 'nobody waits for the command any more, so it was not started')
      const command = {
        argv: ['sh', '-c', request.command],
        timeoutMs: request.timeout_seconds * 1000,
        ...bounds,
        ...(signal === undefined ? {} : { signal }),
        ...(request.stdin === undefined ? {} : { stdin: request.stdin }),
        ...(request.working_directory === undefined ? {} : { workingDirectory: request.working_directory }),
      }
      const ran = await whileRunning(row, () => engine.exec({ sandbox: row.id, service }, command), hasSucceeded)
      const result = {
        ...ran,
        stdout: shortened(ran.stdout, ran.stdoutBytes, bounds),
        stderr: shortened(ran.stderr, ran.stderrBytes, bounds),
      }
      recorder.recordCommand(row.id, service, request.command, result)
      return {
        truncated: ran.stdoutBytes > ran.stdout.length || ran.stderrBytes > ran.stderr.length,
        stdout: result.stdout.toString(),
        stderr: result.stderr.toString(),
        exit_code: result.exitCode,
        timed_out: result.timedOut,
        stdout_bytes: result.stdoutBytes,
        stderr_bytes: result.stderrBytes,
        duration_ms: result.durationMs,
      }
    },

    /** Waits while the sandbox is being graded. */
    restart: async (row: SandboxRow, container: string | undefined): Promise<SandboxSession> => {
      requireRunning(row)
      const service = serviceIn(row, container)
      await gradingLock.released(row.id)
      await whileRunning(
        row,
        () => engine.restart({ sandbox: row.id, service }),
        () => false,
      )
      return current(row)
    },

    show: (row: SandboxRow): Promise<SandboxSession> => sessionResponses.of(row),

    read: async (caller: Account | LabHolder, id: string): Promise<SandboxSession> =>
      sessionResponses.of(await access.ownedById(caller, id)),

    list: async (caller: Account): Promise<SandboxSession[]> =>
      Promise.all((await store.listByAccount(caller.accountId)).map(sessionResponses.of)),

    /** Moves the expiry, up to the maximum lifetime. */
    extend: async (row: SandboxRow): Promise<SandboxSession> => {
      requireRunning(row)
      const wanted = addMinutes(new Date(row.expires_at), limits.extendMinutes).toISOString()
      const extended = await store.extend(row.id, wanted < row.deadline ? wanted : row.deadline)
      if (extended) return current(row)
      requireRunning((await store.find(row.id)) ?? row)
      const longestMinutes = Math.round((Date.parse(row.deadline) - Date.parse(row.created_at)) / 60_000)
      throw new LabError('lifetime_exhausted', `the maximum lifetime of this sandbox is ${longestMinutes} minutes`, {
        hint: 'start another one',
      })
    },

    /** Idempotent. When the engine does not answer, the sandbox counts as ended and the reaper removes it later. */
    stop,

    /** Stops a sandbox that nobody can use any more. What fails now is tried a few times more, and left to its expiry then. */
    discard: async (row: SandboxRow): Promise<void> => {
      await retry(
        () => stop(row),
        () => true,
        discardRetry,
      ).catch((error: unknown) => {
        log.error({ sandbox: row.id, reason: messageOf(error) }, 'a sandbox without a user could not be stopped; it ends when it expires')
      })
    },
  }
}

export type SandboxOperations = ReturnType<typeof createSandboxOperations>
