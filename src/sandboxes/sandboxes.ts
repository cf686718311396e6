// Sandboxes for callers: start, exec, read, list, stop. The row comes first and the engine second, so that whatever
// is on the engine has a row, and what has no live row can be removed.

import type { Caller } from '../accounts/caller.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { addMinutes, type Clock } from '../clock.ts'
import {
  execLimits,
  type SandboxExecRequest,
  type SandboxExecResponse,
  type SandboxSession,
  type SandboxStartRequest,
} from '../contract/sandbox.ts'
import type { Engine } from '../engine/engine.ts'
import { isLabError, LabError, messageOf } from '../errors.ts'
import { createId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { SandboxRow, SandboxStore } from '../store/sandboxes.ts'
import type { SessionIds } from './session-id.ts'

export interface SandboxesDeps {
  readonly store: SandboxStore
  readonly engine: Engine
  readonly catalog: Catalog
  readonly sessionIds: SessionIds
  readonly clock: Clock
  readonly log: Log
  readonly capacity: number
  readonly accountSandboxes: number
  readonly node: string
  readonly bootId: string
}

const graceMinutes = 15
const longestLifeMinutes = 120

const unknownSandbox = () =>
  new LabError('not_found', 'there is no such sandbox', {
    hint: 'GET /api/v1/sandbox lists yours; start one with POST /api/v1/sandbox/start',
  })

const stoppedMeanwhile = (cause?: unknown) => new LabError('sandbox_start_failed', 'the sandbox was stopped while it started', { cause })

export const createSandboxes = (deps: SandboxesDeps) => {
  const { store, engine, catalog, sessionIds, clock, log } = deps

  const toSession = (row: SandboxRow): SandboxSession => ({
    session_id: sessionIds.of(row.id),
    id: row.id,
    course_id: row.course_id,
    status: row.status,
    containers: JSON.parse(row.containers) as string[],
    created_at: row.created_at,
    expires_at: row.expires_at,
    ...(row.termination_reason === null ? {} : { termination_reason: row.termination_reason }),
  })

  const owned = (caller: Caller, row: SandboxRow | null): SandboxRow => {
    if (row === null || row.account_id !== caller.accountId) throw unknownSandbox()
    return row
  }

  const open = async (caller: Caller, sessionId: string): Promise<SandboxRow> => {
    const id = sessionIds.open(sessionId)
    return owned(caller, id === null ? null : await store.find(id))
  }

  const reserve = async (row: SandboxRow): Promise<void> => {
    const outcome = await store.reserve(row, { total: deps.capacity, perAccount: deps.accountSandboxes })
    if (outcome === 'account_full') {
      throw new LabError('sandbox_limit_reached', `you have ${deps.accountSandboxes} sandboxes already`, {
        hint: 'stop one with POST /api/v1/sandbox/stop',
        retryAfterSeconds: 10,
      })
    }
    if (outcome === 'full') {
      throw new LabError('capacity_exhausted', 'every place for a sandbox is taken', { hint: 'try again later', retryAfterSeconds: 30 })
    }
  }

  return {
    start: async (caller: Caller, request: SandboxStartRequest): Promise<SandboxSession> => {
      const scenario = catalog.find(request.course_id)
      await engine.ping()
      const now = clock.now()
      const lifeMinutes = scenario.durationMinutes + graceMinutes
      const row: SandboxRow = {
        id: createId(),
        account_id: caller.accountId,
        course_id: scenario.id,
        status: 'starting',
        termination_reason: null,
        containers: JSON.stringify(scenario.containers),
        created_at: now.toISOString(),
        expires_at: addMinutes(now, lifeMinutes).toISOString(),
        deadline: addMinutes(now, Math.max(lifeMinutes, longestLifeMinutes)).toISOString(),
        ended_at: null,
        node: deps.node,
        boot_id: deps.bootId,
      }
      await reserve(row)
      try {
        await engine.ensureImages(scenario.images, (message) => log.info({ sandbox: row.id }, message))
        await engine.create({ id: row.id, topology: scenario.topology, deadline: new Date(row.deadline) })
        if (await store.markRunning(row.id)) return toSession({ ...row, status: 'running' })
      } catch (error) {
        log.warn({ sandbox: row.id, course: scenario.id, reason: messageOf(error) }, 'a sandbox did not start')
        if (!(await store.markTerminated(row.id, 'failed', clock.now().toISOString()))) throw stoppedMeanwhile(error)
        if (!isLabError(error, 'sandbox_start_failed')) throw error
        throw new LabError('sandbox_start_failed', 'the sandbox could not be started', { hint: 'try again', cause: error })
      }
      await engine.destroy(row.id)
      throw stoppedMeanwhile()
    },

    exec: async (caller: Caller, request: SandboxExecRequest): Promise<SandboxExecResponse> => {
      const row = await open(caller, request.session_id)
      if (row.status !== 'running' && row.status !== 'completed') {
        throw new LabError('sandbox_not_running', `the sandbox is ${row.status}`, { hint: 'start another one' })
      }
      const containers = JSON.parse(row.containers) as string[]
      const service = request.container ?? (containers[0] as string)
      if (!containers.includes(service)) {
        throw new LabError('invalid_request', `container: there is no ${service} in this sandbox`, {
          hint: `one of ${containers.join(', ')}`,
        })
      }
      const result = await engine.exec(
        { sandbox: row.id, service },
        {
          argv: ['sh', '-c', request.command],
          timeoutMs: request.timeout_seconds * 1000,
          outputBytes: execLimits.outputBytes,
          ...(request.stdin === undefined ? {} : { stdin: request.stdin }),
          ...(request.working_directory === undefined ? {} : { workingDirectory: request.working_directory }),
        },
      )
      return {
        stdout: result.stdout.toString(),
        stderr: result.stderr.toString(),
        exit_code: result.exitCode,
        timed_out: result.timedOut,
        stdout_bytes: result.stdoutBytes,
        stderr_bytes: result.stderrBytes,
        duration_ms: result.durationMs,
      }
    },

    read: async (caller: Caller, id: string): Promise<SandboxSession> => toSession(owned(caller, await store.find(id))),

    list: async (caller: Caller): Promise<SandboxSession[]> => (await store.listByAccount(caller.accountId)).map(toSession),

    /** Idempotent: whoever ended it first removes it. When the engine is away, the sandbox counts as ended and the reaper removes it later. */
    stop: async (caller: Caller, sessionId: string): Promise<SandboxSession> => {
      const row = await open(caller, sessionId)
      const endsNow = await store.markTerminated(row.id, 'stopped', clock.now().toISOString())
      if (!endsNow) return toSession((await store.find(row.id)) as SandboxRow)
      await engine.destroy(row.id).catch((error: unknown) => {
        if (!isLabError(error, 'engine_unavailable')) throw error
        log.warn({ sandbox: row.id }, 'the engine is away; a stopped sandbox will be removed later')
      })
      return toSession((await store.find(row.id)) as SandboxRow)
    },
  }
}

export type Sandboxes = ReturnType<typeof createSandboxes>
