// Starts sandboxes: claims a warm one, reserves a slot or queues, then builds. The row is written first and the engine is called
// second, so that everything on the engine has a row, and what has no live row can be removed.

import type { Account, Caller } from '../../accounts/caller.ts'
import type { Scenario } from '../../catalog/scenario.ts'
import { networkOf } from '../../client-network.ts'
import { coalesce } from '../../coalesce.ts'
import type { Job } from '../../contract/job.ts'
import type { SandboxSession, SandboxStartRequest } from '../../contract/sandbox.ts'
import { type Progress, unconfined } from '../../engine/engine.ts'
import { isLabError, LabError, messageOf } from '../../errors.ts'
import { createId } from '../../ids.ts'
import type { JobRow, JobStore } from '../../store/jobs.ts'
import type { SandboxRow } from '../../store/sandboxes.ts'
import type { NewJob, Slot } from '../../store/slots.ts'
import { unknownSession } from '../access.ts'
import type { ContainerViews } from '../run/container-views.ts'
import type { SessionResponses } from '../session-response.ts'
import type { StartCharges } from './charges.ts'
import { planRequired, requireEligible } from './eligibility.ts'
import type { Jobs } from './jobs.ts'
import { newRow } from './new-row.ts'
import type { Pool, PoolDeps } from './pool.ts'
import type { Privileges, PrivilegesOf } from './privileges.ts'
import { capacityExhausted, limitReached } from './refusals.ts'
import type { StartLatency } from './start-latency.ts'

export interface StartsDeps extends PoolDeps {
  readonly jobStore: JobStore
  readonly sessionResponses: SessionResponses
  readonly jobs: Jobs
  readonly pool: Pool
  readonly views: Pick<ContainerViews, 'openView'>
  readonly privilegesOf: PrivilegesOf
  readonly charges: StartCharges
  readonly latency: StartLatency
}

/** The request with an idempotency key, and the atomic batch, that a start belongs to. */
export interface Origin {
  readonly requestId?: string | undefined
  readonly batchId?: string | undefined
}

export interface StartOptions extends Origin {
  readonly progress?: Progress
  /** For callers that cannot poll a job: never queues, and waits as long as it takes. */
  readonly untilReady?: boolean
}

export type Started = { readonly session: SandboxSession } | { readonly job: Job }

const stoppedMeanwhile = (cause?: unknown) =>
  new LabError('sandbox_not_running', 'the sandbox was stopped while it started', { hint: 'start another one', cause })

export const createStarts = (deps: StartsDeps) => {
  const { store, slots, jobStore, engine, catalog, sessionResponses, jobs, clock, log, limits, build, pool, views, privilegesOf, charges } =
    deps

  const rowFor = (
    who: Pick<SandboxRow, 'account_id' | 'address'>,
    scenario: Scenario,
    seed: string,
    { longestMinutes }: Pick<Privileges, 'longestMinutes'>,
    origin: Origin,
  ): SandboxRow => {
    const usualMinutes = who.account_id === null ? limits.anonymousMinutes : scenario.durationMinutes + limits.lingerMinutes
    const life = { now: clock.now(), lifeMinutes: Math.min(usualMinutes, longestMinutes), deadlineMinutes: longestMinutes }
    return { ...newRow(scenario, seed, life, deps), ...who, request_id: origin.requestId ?? null, batch_id: origin.batchId ?? null }
  }

  const newJob = (row: SandboxRow, longestMinutes: number | null, origin: Origin, mayBeWarm = true): NewJob => ({
    id: createId(),
    account_id: row.account_id as string,
    course_id: row.course_id,
    seed: row.seed,
    may_be_warm: mayBeWarm ? 1 : 0,
    longest_minutes: longestMinutes,
    request_id: origin.requestId ?? null,
    batch_id: origin.batchId ?? null,
    created_at: row.created_at,
  })

  const underWay = new Map<string, Promise<SandboxSession>>()

  /** Builds the sandbox in a slot; a claimed one that no longer shows its symptom is removed first. Returns its baseline. */
  const buildIn = async ({ row, baseline, evicted }: Slot, scenario: Scenario, progress?: Progress): Promise<string> => {
    if (baseline !== null) {
      if (!(await store.markStarting(row.id))) throw stoppedMeanwhile()
      await engine.destroy(row.id)
    }
    if (evicted !== null) await pool.remove(evicted)
    return build({ row, scenario, deadline: new Date(row.deadline), ...(progress === undefined ? {} : { progress }) })
  }

  /** From a slot to a running sandbox. A failed start leaves nothing behind, and its slot goes to the queue. */
  const bringUp = async (slot: Slot, scenario: Scenario, progress?: Progress): Promise<SandboxSession> => {
    const { row } = slot
    const done = deps.latency.begin()
    try {
      const claimed = slot.baseline !== null && (await pool.verifyClaim(row, slot.baseline)) ? slot.baseline : null
      const baseline = claimed ?? (await buildIn(slot, scenario, progress))
      await views.openView(row)
      const isMarked = claimed !== null && row.status === 'running'
      const runs = isMarked ? (await store.find(row.id))?.status === 'running' : await store.markRunning(row.id, baseline)
      if (runs) {
        done(claimed === null ? 'cold' : 'warm')
        return await sessionResponses.of({ ...row, baseline, status: 'running' })
      }
    } catch (error) {
      const cause = isLabError(error) && error.cause !== undefined ? { cause: messageOf(error.cause) } : {}
      log.warn({ sandbox: row.id, course: scenario.id, reason: messageOf(error), ...cause }, 'a sandbox did not start')
      const failedNow = await store.markTerminated(row.id, 'failed', clock.now().toISOString())
      await engine.destroy(row.id).catch(() => undefined) // the reaper removes what is left
      await charges.settle()
      void advance()
      if (!failedNow) throw stoppedMeanwhile(error)
      if (isLabError(error) && !isLabError(error, 'sandbox_start_failed')) throw error
      throw new LabError('sandbox_start_failed', 'the sandbox could not be started', { hint: 'try again', cause: error })
    }
    await engine.destroy(row.id)
    await charges.settle()
    throw stoppedMeanwhile()
  }

  const run = (slot: Slot, scenario: Scenario, progress?: Progress): Promise<SandboxSession> => {
    const { id } = slot.row
    const work = bringUp(slot, scenario, progress).finally(() => {
      underWay.delete(id)
      void pool.refill()
    })
    underWay.set(id, work)
    return work
  }

  const rowOfJob = (job: JobRow): SandboxRow =>
    rowFor(
      { account_id: job.account_id, address: null },
      catalog.find(job.course_id),
      job.seed,
      { longestMinutes: job.longest_minutes ?? limits.longestMinutes },
      { batchId: job.batch_id ?? undefined },
    )

  /** While the engine does not answer, the queue waits. */
  const handOutSlots = async (): Promise<void> => {
    if ((await slots.countQueued()) === 0) return
    await engine.ping()
    for (;;) {
      const taken = await slots.takeQueued(limits.capacity, rowOfJob)
      if (taken === null) return
      run(taken.slot, catalog.find(taken.job.course_id)).catch(() => undefined) // the job shows the failure
    }
  }

  const moveQueue = coalesce(() =>
    handOutSlots().catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'the queue could not be advanced')),
  )

  /** Gives free slots to the queue, in order, and then to the pool. Called whenever a slot may have become free. */
  const advance = async (): Promise<void> => {
    await charges.settle()
    await moveQueue()
    void pool.refill()
  }

  const jobFor = async (row: SandboxRow): Promise<Job> =>
    jobs.describe(await jobStore.attach({ ...newJob(row, null, {}), sandbox_id: row.id }))

  type Claimed =
    | { readonly slot: Slot; readonly scenario: Scenario; readonly job: NewJob | null; readonly runAsJob: boolean }
    | { readonly queued: Job }

  /** A slot for this caller, or a place in the queue. */
  const claim = async (caller: Caller, request: SandboxStartRequest, options: StartOptions): Promise<Claimed> => {
    const scenario = catalog.find(request.course_id)
    const privileges = await privilegesOf(caller)
    requireEligible(caller, privileges, scenario.course, request)
    await engine.ping()
    if (scenario.course.requires_account && !(await engine.confinesCapabilities())) throw unconfined()
    const who =
      caller.kind === 'account' ? { account_id: caller.accountId, address: null } : { account_id: null, address: networkOf(caller.address) }
    const runAsJob = request.async === true || scenario.course.cluster === 'large'
    const wanted = rowFor(who, scenario, request.seed ?? createId(), privileges, runAsJob ? { batchId: options.batchId } : options)
    const warm = request.seed === undefined
    const job = caller.kind === 'account' && options.untilReady !== true ? newJob(wanted, privileges.longestMinutes, options, warm) : null
    const { sandboxes: own, startCostsCredit: costsCredit } = privileges
    const room = { total: limits.capacity, anonymous: Math.ceil(limits.capacity / 2), own, queue: limits.queue }
    const reservation = await slots.reserve(wanted, room, { job, jobAtOnce: runAsJob, warm, costsCredit })
    if (reservation.outcome === 'queued') {
      void advance() // a slot may have become free just now
      return { queued: await jobs.describe((await jobStore.find((job as NewJob).id)) as JobRow) }
    }
    if (reservation.outcome === 'own_full') throw await limitReached(caller, own, { store, jobStore })
    if (reservation.outcome === 'no_credit') throw planRequired('a start needs a plan or a credit here, and you have neither')
    if (reservation.outcome !== 'reserved') throw capacityExhausted()
    return { slot: reservation.slot, scenario, job, runAsJob }
  }

  return {
    advance,

    /** Returns a session when the sandbox is ready soon; a job when it has to queue, takes long, or `async` was requested. */
    start: async (caller: Caller, request: SandboxStartRequest, options: StartOptions = {}): Promise<Started> => {
      const claimed = await claim(caller, request, options)
      if ('queued' in claimed) return { job: claimed.queued }
      const { slot, scenario, job, runAsJob } = claimed
      const running = run(slot, scenario, options.progress)
      if (runAsJob && job !== null) {
        running.catch(() => undefined) // the job shows the failure
        return { job: await jobs.describe((await jobStore.find(job.id)) as JobRow) }
      }
      if (job === null) return { session: await running }
      const waiting = new AbortController()
      const late = clock.sleep(limits.startWaitSeconds * 1000, waiting.signal).then(
        () => null,
        () => null,
      )
      const session = await Promise.race([running, late]).finally(() => waiting.abort())
      if (session !== null) return { session }
      running.catch(() => undefined) // the job shows the failure
      return { job: await jobFor(slot.row) }
    },

    /** For a caller who follows it while it is being built. Never queues. */
    startAtOnce: async (caller: Caller, courseId: string): Promise<SandboxRow> => {
      const claimed = await claim(caller, { course_id: courseId }, { untilReady: true })
      if ('queued' in claimed) throw capacityExhausted()
      run(claimed.slot, claimed.scenario).catch(() => undefined) // its row shows the failure
      return claimed.slot.row
    },

    /** The result of an earlier start under this request; null when there was none and it may be tried again. */
    recover: async (requestId: string): Promise<Started | null> => {
      const job = await jobStore.findByRequest(requestId)
      if (job !== null) return { job: await jobs.describe(job) }
      const row = await store.findByRequest(requestId)
      if (row === null) return null
      if (row.baseline !== null) return { session: await sessionResponses.of(row) }
      await store.forgetRequest(row.id)
      return null
    },

    /** Assigns a sandbox that nobody has to an account. Throws sandbox_limit_reached and not_found. */
    attribute: async (row: SandboxRow, caller: Account): Promise<SandboxRow> => {
      const { accountId } = caller
      if (row.account_id === accountId) return row
      const { sandboxes: own } = await privilegesOf(caller)
      const outcome = await slots.attribute(row.id, accountId, own)
      if (outcome === 'own_full') throw await limitReached(caller, own, { store, jobStore })
      if (outcome === 'not_free') throw unknownSession() // another account was faster
      return { ...row, account_id: accountId }
    },

    isUnderWay: (sandbox: string): boolean => underWay.has(sandbox),

    /** Resolves when no start is in progress. */
    settle: async (): Promise<void> => {
      await Promise.allSettled(underWay.values())
    },

    /** Rolls back everything that was started in a batch. */
    undo: async (batchId: string): Promise<void> => {
      await jobStore.eraseQueuedOfBatch(batchId)
      for (const row of await store.listByBatch(batchId)) {
        await store.markTerminated(row.id, 'stopped', clock.now().toISOString())
        await engine.destroy(row.id).catch(() => undefined) // without a live row, the reaper removes what is left
        await underWay.get(row.id)?.catch(() => undefined) // it removes what it has created meanwhile
        await store.erase(row.id)
      }
      await advance()
    },
  }
}

export type Starts = ReturnType<typeof createStarts>
