// Sandboxes for callers: start, exec, read, list, stop. The row comes first and the engine second, so that whatever
// is on the engine has a row, and what has no live row can be removed.

import type { Account, Caller } from '../accounts/caller.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Scenario } from '../catalog/scenario.ts'
import { addMinutes, type Clock } from '../clock.ts'
import {
  execLimits,
  type SandboxExecRequest,
  type SandboxExecResponse,
  type SandboxSession,
  type SandboxStartRequest,
} from '../contract/sandbox.ts'
import type { Engine, Progress } from '../engine/engine.ts'
import { isLabError, LabError, messageOf } from '../errors.ts'
import type { Evaluations } from '../grading/evaluations.ts'
import { stage } from '../grading/stage.ts'
import { createId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { SandboxRow, SandboxStore } from '../store/sandboxes.ts'
import { type Access, requireRunning, serviceIn } from './access.ts'

export interface SandboxesDeps {
  readonly store: SandboxStore
  readonly engine: Engine
  readonly catalog: Catalog
  readonly access: Access
  readonly evaluations: Evaluations
  readonly clock: Clock
  readonly log: Log
  readonly capacity: number
  readonly accountSandboxes: number
  readonly anonymousSandboxes: number
  readonly node: string
  readonly bootId: string
}

const lingerMinutes = 15
const anonymousMinutes = 30
const longestLifeMinutes = 120

const stoppedMeanwhile = (cause?: unknown) => new LabError('sandbox_start_failed', 'the sandbox was stopped while it started', { cause })

export const createSandboxes = (deps: SandboxesDeps) => {
  const { store, engine, catalog, access, evaluations, clock, log } = deps

  const toSession = async (row: SandboxRow): Promise<SandboxSession> => ({
    session_id: access.sessionIdOf(row.id),
    id: row.id,
    course_id: row.course_id,
    status: row.status,
    containers: JSON.parse(row.containers) as string[],
    created_at: row.created_at,
    expires_at: row.expires_at,
    evaluations_left: await evaluations.left(row.id),
    ...(row.termination_reason === null ? {} : { termination_reason: row.termination_reason }),
  })

  const newRow = (caller: Caller, scenario: Scenario): SandboxRow => {
    const now = clock.now()
    const lifeMinutes = caller.kind === 'anonymous' ? anonymousMinutes : scenario.durationMinutes + lingerMinutes
    return {
      id: createId(),
      account_id: caller.kind === 'account' ? caller.accountId : null,
      address: caller.kind === 'anonymous' ? caller.address : null,
      course_id: scenario.id,
      seed: createId(),
      baseline: null,
      hints_used: 0,
      grading_errors: 0,
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
  }

  const reserve = async (caller: Caller, row: SandboxRow): Promise<void> => {
    const own = caller.kind === 'account' ? deps.accountSandboxes : deps.anonymousSandboxes
    const outcome = await store.reserve(row, { total: deps.capacity, anonymous: Math.ceil(deps.capacity / 2), own })
    if (outcome === 'own_full') {
      throw new LabError('sandbox_limit_reached', `you have ${own} ${own === 1 ? 'sandbox' : 'sandboxes'} already`, {
        hint: 'stop one first',
        retryAfterSeconds: 10,
      })
    }
    if (outcome === 'full') {
      throw new LabError('capacity_exhausted', 'every place for a sandbox is taken', { hint: 'try again later', retryAfterSeconds: 30 })
    }
  }

  /** From nothing to a confirmed incident; the healthy state that was recorded on the way. */
  const build = async (row: SandboxRow, scenario: Scenario, progress: Progress): Promise<string> => {
    const instance = scenario.instantiate(row.seed)
    await engine.ensureImages(scenario.images, progress)
    progress('starting the machines')
    await engine.create({ id: row.id, topology: instance.topology, deadline: new Date(row.deadline) })
    progress('letting customers in')
    return JSON.stringify(await stage(engine, clock, row.id, instance, { fault: true }))
  }

  return {
    start: async (caller: Caller, request: SandboxStartRequest, progress: Progress = () => undefined): Promise<SandboxSession> => {
      const scenario = catalog.find(request.course_id)
      await engine.ping()
      const row = newRow(caller, scenario)
      await reserve(caller, row)
      try {
        const baseline = await build(row, scenario, progress)
        if (await store.markRunning(row.id, baseline)) return await toSession({ ...row, status: 'running' })
      } catch (error) {
        log.warn({ sandbox: row.id, course: scenario.id, reason: messageOf(error) }, 'a sandbox did not start')
        const failedNow = await store.markTerminated(row.id, 'failed', clock.now().toISOString())
        await engine.destroy(row.id).catch(() => undefined) // the reaper does what is left
        if (!failedNow) throw stoppedMeanwhile(error)
        if (isLabError(error) && !isLabError(error, 'sandbox_start_failed')) throw error
        throw new LabError('sandbox_start_failed', 'the sandbox could not be started', { hint: 'try again', cause: error })
      }
      await engine.destroy(row.id)
      throw stoppedMeanwhile()
    },

    /** Waits while the sandbox is being graded. */
    exec: async (row: SandboxRow, request: Omit<SandboxExecRequest, 'session_id'>): Promise<SandboxExecResponse> => {
      requireRunning(row)
      const service = serviceIn(row, request.container)
      await evaluations.idle(row.id)
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

    read: async (caller: Account, id: string): Promise<SandboxSession> => toSession(await access.ownedById(caller, id)),

    list: async (caller: Account): Promise<SandboxSession[]> => Promise.all((await store.listByAccount(caller.accountId)).map(toSession)),

    /** Idempotent: whoever ended it first removes it. When the engine is away, the sandbox counts as ended and the reaper removes it later. */
    stop: async (row: SandboxRow): Promise<SandboxSession> => {
      const endsNow = await store.markTerminated(row.id, 'stopped', clock.now().toISOString())
      if (!endsNow) return toSession((await store.find(row.id)) ?? row)
      await engine.destroy(row.id).catch((error: unknown) => {
        if (!isLabError(error, 'engine_unavailable')) throw error
        log.warn({ sandbox: row.id }, 'the engine is away; a stopped sandbox will be removed later')
      })
      return toSession((await store.find(row.id)) ?? row)
    },
  }
}

export type Sandboxes = ReturnType<typeof createSandboxes>
