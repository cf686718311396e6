// Evaluates sandboxes for callers: checks the budget, runs one grading at a time, stores the verdict with its evidence.

import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { Account } from '../accounts/caller.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { parseCheckedJson } from '../checked-json.ts'
import { addMinutes, type Clock } from '../clock.ts'
import type { Limits } from '../configured-limits.ts'
import {
  Checkpoint,
  type EvaluationList,
  type EvaluationQuery,
  type EvaluationRecord,
  type EvaluationResult,
} from '../contract/evaluation.ts'
import type { Cursors } from '../cursor.ts'
import type { Engine } from '../engine/engine.ts'
import { LabError, messageOf } from '../errors.ts'
import { createId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { DatedEvaluationRow, EvaluationStore } from '../store/evaluations.ts'
import { notRunning, requireRunning } from '../store/require-running.ts'
import type { SandboxRow, SandboxStore } from '../store/sandboxes.ts'
import type { Deadline } from './deadline.ts'
import type { EvaluationBudget } from './evaluation-budget.ts'
import { grade, gradeWithRetry, type StepReport, type Verdict } from './grade.ts'
import type { GradingFeed } from './grading-feed.ts'
import { gradingInputsOf } from './grading-inputs.ts'
import type { GradingLock } from './grading-lock.ts'
import type { LoadSemaphore } from './load-step.ts'

export interface EvaluationsDeps {
  readonly store: EvaluationStore
  readonly sandboxes: SandboxStore
  readonly engine: Engine
  readonly catalog: Catalog
  readonly clock: Clock
  readonly log: Log
  readonly loadSemaphore: LoadSemaphore
  readonly cursors: Cursors
  readonly lock: GradingLock
  readonly feed: GradingFeed
  readonly budget: EvaluationBudget
  readonly limits: Pick<Limits, 'evaluations' | 'graceMinutes'>
}

const Checkpoints = z.array(Checkpoint)

/** An engine that does not answer for so long hangs, and is away. */
const engineMs = 3_000
/** An engine needs a moment to notice that a container has ended, while whoever talks to a program in it is told at once. */
const noticeMs = 500

const inTime = async <T>(work: Promise<T>): Promise<T> => {
  const answered = new AbortController()
  const away = delay(engineMs, undefined, { signal: answered.signal }).then(() => {
    throw new LabError('engine_unavailable', 'the container engine does not answer', { hint: 'try again shortly', retryAfterSeconds: 5 })
  })
  try {
    return await Promise.race([work, away])
  } finally {
    answered.abort()
  }
}

const secondsBetween = (start: string, end: string): number => Math.max(0, Math.round((Date.parse(end) - Date.parse(start)) / 1000))

const recordOf = (row: DatedEvaluationRow): EvaluationRecord => ({
  id: row.id,
  sandbox_id: row.sandbox_id,
  course_id: row.course_id,
  passed: row.passed === 1,
  score: row.score,
  checkpoints: parseCheckedJson(Checkpoints, row.checkpoints),
  hints_used: row.hints_used,
  assisted: row.assisted === 1,
  started_at: row.started_at,
  elapsed_seconds: row.sandbox_created_at === null ? null : secondsBetween(row.sandbox_created_at, row.started_at),
  duration_ms: row.duration_ms,
})

export interface EvaluateOptions {
  readonly report?: StepReport
  /** The request with an idempotency key that caused it. */
  readonly requestId?: string | undefined
}

interface Begun {
  readonly startedAt: Date
  /** How many evaluations the sandbox had before. */
  readonly count: number
  readonly requestId: string | undefined
}

export const createEvaluations = ({
  store,
  sandboxes,
  engine,
  catalog,
  clock,
  log,
  loadSemaphore,
  cursors,
  lock,
  feed,
  budget,
  limits,
}: EvaluationsDeps) => {
  /** What interrupts the sandbox itself: it was ended, or went down with the engine and is not yet back. Throws where the engine does not answer. */
  const interruptionOf = async (row: SandboxRow): Promise<LabError | null> => {
    const ended = notRunning((await sandboxes.find(row.id)) ?? row)
    if (ended !== null) return ended
    if ((await inTime(engine.list())).find(({ id }) => id === row.id)?.intact !== false) return null
    return new LabError('engine_unavailable', 'the sandbox is being repaired', { hint: 'try again shortly', retryAfterSeconds: 5 })
  }

  /** Throws what explains that a grading went wrong, or may have, by no fault of the user or of grading. */
  const requireGradable = async (row: SandboxRow): Promise<void> => {
    const interruption = await interruptionOf(row)
    if (interruption !== null) throw interruption
  }

  /** The same after an error of the infrastructure. */
  const explainFailure = async (row: SandboxRow): Promise<void> => {
    await delay(noticeMs)
    await requireGradable(row)
  }

  /** More CPU shares while it is graded, so that busy neighbours do not affect the verdict. */
  const withPriority = async <T>({ id }: SandboxRow, work: () => Promise<T>): Promise<T> => {
    const put = (prioritized: boolean) =>
      inTime(engine.prioritize(id, prioritized)).catch((error: unknown) =>
        log.warn({ sandbox: id, prioritized, reason: messageOf(error) }, 'a sandbox could not be prioritized'),
      )
    await put(true)
    try {
      return await work()
    } finally {
      await put(false)
    }
  }

  /** Retries once; a second failure of the infrastructure costs the caller no evaluation. */
  const gradeRow = async (row: SandboxRow, report: StepReport, again: () => void): Promise<Verdict> => {
    const { instance, baseline } = await gradingInputsOf({ catalog, engine }, row)
    const seen: { interruption: LabError | null } = { interruption: null }
    const work = (deadline: Deadline) => grade(engine, row.id, instance, baseline, { loadSemaphore, deadline, clock, report })
    try {
      return await gradeWithRetry(work, async (error) => {
        await delay(noticeMs)
        seen.interruption = await interruptionOf(row)
        if (seen.interruption !== null) throw seen.interruption
        const reason = { reason: messageOf(error), cause: messageOf((error as Error).cause ?? '') }
        log.warn({ sandbox: row.id, ...reason }, 'grading failed; trying once more')
        again()
      })
    } catch (error) {
      if (error === seen.interruption) throw error // it counts for nothing, though the sandbox may be repaired by the next look
      await explainFailure(row)
      await sandboxes.countGradingError(row.id)
      log.error({ sandbox: row.id, reason: messageOf(error), cause: messageOf((error as Error).cause ?? '') }, 'grading failed')
      throw new LabError('grading_failed', 'the sandbox could not be graded; this says nothing about your repair and costs no evaluation', {
        hint: 'try again',
        cause: error,
      })
    }
  }

  /** Stores a verdict, and what follows from it. */
  const settle = async (row: SandboxRow, verdict: Verdict, { startedAt, count, requestId }: Begun): Promise<EvaluationResult> => {
    const current = (await sandboxes.find(row.id)) ?? row
    if (!verdict.passed) await requireGradable(row) // what is being removed, or went down with the engine, fails every step
    const assisted = current.account_id !== null && (await sandboxes.hasGivenUp(current.account_id, row.course_id))
    const id = createId()
    await store.insert({
      id,
      sandbox_id: row.id,
      account_id: current.account_id,
      course_id: row.course_id,
      passed: verdict.passed ? 1 : 0,
      score: verdict.score,
      checkpoints: JSON.stringify(verdict.checkpoints),
      evidence: JSON.stringify(verdict.evidence),
      hints_used: current.hints_used,
      assisted: assisted ? 1 : 0,
      started_at: startedAt.toISOString(),
      duration_ms: verdict.durationMs,
      request_id: requestId ?? null,
    })
    const grace = addMinutes(clock.now(), limits.graceMinutes).toISOString()
    const shortened = grace < current.expires_at ? grace : current.expires_at
    const isCompletedNow = verdict.passed && (await sandboxes.markCompleted(row.id, shortened))
    return {
      passed: verdict.passed,
      score: verdict.score,
      checkpoints: [...verdict.checkpoints],
      evaluation_id: id,
      evaluations_left: limits.evaluations - count - 1,
      evaluations_used: count + 1,
      hints_used: current.hints_used,
      assisted,
      expires_at: isCompletedNow ? shortened : current.expires_at,
    }
  }

  const evaluate = async (row: SandboxRow, { report, requestId }: EvaluateOptions): Promise<EvaluationResult> => {
    const startedAt = clock.now()
    const count = await budget.require(row, startedAt)
    return feed.run(row.id, startedAt, async (progress) => {
      const tell: StepReport = (...step) => {
        progress.report(...step)
        report?.(...step)
      }
      const verdict = await withPriority(row, () => gradeRow(row, tell, progress.again))
      return settle(row, verdict, { startedAt, count, requestId })
    })
  }

  return {
    /** Grades a sandbox; access was checked before. It goes on when the client disconnects. */
    evaluate: async (row: SandboxRow, options: EvaluateOptions = {}): Promise<EvaluationResult> => {
      requireRunning(row)
      if (lock.isHeld(row.id)) throw budget.underWay()
      return lock.hold(row.id, () => evaluate(row, options))
    },

    /** The result of an earlier evaluation under this request, or null. */
    recover: async (requestId: string): Promise<EvaluationResult | null> => {
      const row = await store.findByRequest(requestId)
      const sandbox = row === null ? null : await sandboxes.find(row.sandbox_id)
      if (row === null || sandbox === null) return null
      const { count } = await store.tally(row.sandbox_id)
      return {
        passed: row.passed === 1,
        score: row.score,
        checkpoints: parseCheckedJson(Checkpoints, row.checkpoints),
        evaluation_id: row.id,
        evaluations_left: limits.evaluations - count,
        evaluations_used: count,
        hints_used: row.hints_used,
        assisted: row.assisted === 1,
        expires_at: sandbox.expires_at,
      }
    },

    /** Throws not_found, also for another account's. */
    read: async (caller: Account, id: string): Promise<EvaluationRecord> => {
      const row = await store.find(id)
      if (row !== null && row.account_id === caller.accountId) return recordOf(row)
      throw new LabError('not_found', 'there is no such evaluation', { hint: 'GET /evaluations lists yours' })
    },

    /** The last one of a sandbox that has ended, or null; access was checked before. */
    last: async (sandboxId: string): Promise<EvaluationRecord | null> => {
      const row = await store.lastOf(sandboxId)
      return row === null ? null : recordOf(row)
    },

    /** All of a sandbox, oldest first; access was checked before. */
    listOf: async (sandboxId: string): Promise<EvaluationRecord[]> => (await store.listBySandbox(sandboxId)).map(recordOf),

    list: async (caller: Account, query: EvaluationQuery): Promise<EvaluationList> => {
      const scope = ['evaluations', caller.accountId, query.course_id] as const
      const after = query.cursor === undefined ? undefined : (cursors.read(scope, query.cursor) as [string, string])
      const narrowed = query.course_id === undefined ? {} : { courseId: query.course_id }
      const [rows, total_count] = await Promise.all([
        store.listByAccount(caller.accountId, { limit: query.limit + 1, ...narrowed, ...(after === undefined ? {} : { after }) }),
        store.countByAccount(caller.accountId, query.course_id),
      ])
      const page = cursors.page(scope, rows, query.limit, (row) => [row.started_at, row.id])
      return { ...page, items: page.items.map(recordOf), total_count }
    },
  }
}

export type Evaluations = ReturnType<typeof createEvaluations>
