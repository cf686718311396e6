// Evaluations for callers: budget and spacing, one at a time, the verdict and its evidence kept. Hints too.

import type { Account } from '../accounts/caller.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { addMinutes, type Clock } from '../clock.ts'
import type { Evaluation, EvaluationList, EvaluationQuery, Hint } from '../contract/evaluation.ts'
import type { Cursors } from '../cursor.ts'
import type { Engine } from '../engine/engine.ts'
import { LabError, messageOf } from '../errors.ts'
import { createId } from '../ids.ts'
import type { Limits } from '../limits.ts'
import type { Log } from '../log.ts'
import { requireRunning } from '../sandboxes/access.ts'
import type { EvaluationRow, EvaluationStore } from '../store/evaluations.ts'
import type { SandboxRow, SandboxStore } from '../store/sandboxes.ts'
import type { Baseline } from './baseline.ts'
import { grade, gradeOnceOrTwice, type LoadGate, type StepReport, type Verdict } from './grade.ts'
import { openObserver } from './observer.ts'
import { observe } from './probe.ts'
import { baselineNames } from '../sandboxes/start/staging.ts'

/** How often our own failures may cost a sandbox nothing. */
const mostInfrastructureErrors = 3

export interface EvaluationsDeps {
  readonly store: EvaluationStore
  readonly sandboxes: SandboxStore
  readonly engine: Engine
  readonly catalog: Catalog
  readonly clock: Clock
  readonly log: Log
  readonly loadGate: LoadGate
  readonly cursors: Cursors
  readonly limits: Pick<Limits, 'evaluations' | 'evaluationSpacingSeconds' | 'graceMinutes'>
}

const recordOf = (row: EvaluationRow) => ({
  id: row.id,
  sandbox_id: row.sandbox_id,
  course_id: row.course_id,
  passed: row.passed === 1,
  score: row.score,
  checkpoints: JSON.parse(row.checkpoints),
  hints_used: row.hints_used,
  started_at: row.started_at,
  duration_ms: row.duration_ms,
})

export interface EvaluateOptions {
  readonly report?: StepReport
  /** The remembered request behind it. */
  readonly requestId?: string | undefined
}

export const createEvaluations = ({ store, sandboxes, engine, catalog, clock, log, loadGate, cursors, limits }: EvaluationsDeps) => {
  const tooSoon = (milliseconds: number) =>
    new LabError('evaluation_too_soon', 'this sandbox was graded a moment ago, or is being graded', {
      hint: `one evaluation per ${limits.evaluationSpacingSeconds} seconds`,
      retryAfterSeconds: Math.max(1, Math.ceil(milliseconds / 1000)),
    })

  const running = new Map<string, Promise<unknown>>()

  const instanceOf = (row: SandboxRow) => {
    if (row.baseline === null) throw new Error(`sandbox ${row.id} has no baseline`)
    return { instance: catalog.find(row.course_id).instantiate(row.seed), baseline: JSON.parse(row.baseline) as Baseline }
  }

  /** Throws engine_unavailable when the engine is away, or took the sandbox with it: no doing of the sandbox, and soon mended. */
  const requireWhole = async (id: string): Promise<void> => {
    if ((await engine.list()).find((trace) => trace.id === id)?.whole !== false) return
    throw new LabError('engine_unavailable', 'the sandbox is being put together again', { hint: 'try again shortly', retryAfterSeconds: 5 })
  }

  /** Neighbours that keep the machine busy have no part in a verdict. */
  const beforeAllOthers = async <T>({ id }: SandboxRow, work: () => Promise<T>): Promise<T> => {
    const put = (favoured: boolean) =>
      engine
        .favour(id, favoured)
        .catch((error: unknown) => log.warn({ sandbox: id, favoured, reason: messageOf(error) }, 'a sandbox could not be favoured'))
    await put(true)
    try {
      return await work()
    } finally {
      await put(false)
    }
  }

  /** One retry; a second failure of ours costs the caller nothing. */
  const gradeRow = async (row: SandboxRow, report?: StepReport): Promise<Verdict> => {
    const { instance, baseline } = instanceOf(row)
    const options = { loadGate, ...(report === undefined ? {} : { report }) }
    const work = () => grade(engine, row.id, instance, baseline, options)
    try {
      return await gradeOnceOrTwice(work, async (error) => {
        const reason = { reason: messageOf(error), cause: messageOf((error as Error).cause ?? '') }
        log.warn({ sandbox: row.id, ...reason }, 'grading failed; trying once more')
        await requireWhole(row.id)
      })
    } catch (error) {
      await requireWhole(row.id)
      requireRunning((await sandboxes.find(row.id)) ?? row)
      await sandboxes.countGradingError(row.id)
      log.error({ sandbox: row.id, reason: messageOf(error), cause: messageOf((error as Error).cause ?? '') }, 'grading failed')
      throw new LabError('grading_failed', 'the sandbox could not be graded; this says nothing about your repair and costs no evaluation', {
        hint: 'try again',
        cause: error,
      })
    }
  }

  const evaluate = async (row: SandboxRow, { report, requestId }: EvaluateOptions): Promise<Evaluation> => {
    const startedAt = clock.now()
    const { count, lastStartedAt } = await store.tally(row.id)
    if (count >= limits.evaluations) {
      throw new LabError('evaluations_exhausted', `all ${limits.evaluations} evaluations of this sandbox are used`, {
        hint: 'start another sandbox',
      })
    }
    if (row.grading_errors >= mostInfrastructureErrors) {
      throw new LabError('grading_failed', 'this sandbox could not be graded too often', { hint: 'start another sandbox' })
    }
    const waitMs = lastStartedAt === null ? 0 : Date.parse(lastStartedAt) + limits.evaluationSpacingSeconds * 1000 - startedAt.getTime()
    if (waitMs > 0) throw tooSoon(waitMs)
    const verdict = await beforeAllOthers(row, () => gradeRow(row, report))
    const current = (await sandboxes.find(row.id)) ?? row
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
      started_at: startedAt.toISOString(),
      duration_ms: verdict.durationMs,
      request_id: requestId ?? null,
    })
    const grace = addMinutes(clock.now(), limits.graceMinutes).toISOString()
    const expiresAt = verdict.passed && grace < current.expires_at ? grace : current.expires_at
    if (verdict.passed) await sandboxes.markCompleted(row.id, expiresAt)
    return {
      passed: verdict.passed,
      score: verdict.score,
      checkpoints: [...verdict.checkpoints],
      evaluation_id: id,
      evaluations_left: limits.evaluations - count - 1,
      evaluations_used: count + 1,
      hints_used: current.hints_used,
      expires_at: expiresAt,
    }
  }

  /** The next hint that fits what the sandbox is like now, general ones first. One that does not fit may fit later. */
  const giveHint = async (row: SandboxRow): Promise<Hint> => {
    requireRunning(row)
    const { instance, baseline } = instanceOf(row)
    const given = JSON.parse(row.hints_given) as number[]
    const left = instance.hints.map((hint, index) => ({ ...hint, index })).filter(({ index }) => !given.includes(index))
    const observer = openObserver(engine, row.id)
    try {
      const context = { observer, scriptText: instance.scriptText, values: baselineNames(baseline) }
      for (const { when, text, index } of left) {
        if (when !== undefined && !(await observe(when, context)).passed) continue
        if (await sandboxes.giveHint(row, index)) return { level: index + 1, text, hints_left: left.length - 1 }
        return giveHint((await sandboxes.find(row.id)) ?? row) // somebody else asked at the same time
      }
    } finally {
      await observer.close()
    }
    throw new LabError('not_found', 'there is no hint left for what this sandbox is like now', { hint: 'read the brief again' })
  }

  return {
    /** Grades a sandbox that the caller may grade. A caller that leaves does not stop it. */
    evaluate: async (row: SandboxRow, options: EvaluateOptions = {}): Promise<Evaluation> => {
      requireRunning(row)
      if (running.has(row.id)) throw tooSoon(limits.evaluationSpacingSeconds * 1000)
      const work = evaluate(row, options)
      running.set(row.id, work)
      try {
        return await work
      } finally {
        running.delete(row.id)
      }
    },

    /** Resolves when no evaluation of the sandbox is under way. */
    idle: async (sandboxId: string): Promise<void> => {
      await running.get(sandboxId)?.catch(() => undefined)
    },

    left: async (sandboxId: string): Promise<number> => limits.evaluations - (await store.tally(sandboxId)).count,

    /** The result of an earlier evaluation under this request, or null. */
    recover: async (requestId: string): Promise<Evaluation | null> => {
      const row = await store.findByRequest(requestId)
      const sandbox = row === null ? null : await sandboxes.find(row.sandbox_id)
      if (row === null || sandbox === null) return null
      const { count } = await store.tally(row.sandbox_id)
      return {
        passed: row.passed === 1,
        score: row.score,
        checkpoints: JSON.parse(row.checkpoints),
        evaluation_id: row.id,
        evaluations_left: limits.evaluations - count,
        evaluations_used: count,
        hints_used: row.hints_used,
        expires_at: sandbox.expires_at,
      }
    },

    list: async (caller: Account, query: EvaluationQuery): Promise<EvaluationList> => {
      const scope = ['evaluations', caller.accountId, query.course_id] as const
      const after = query.cursor === undefined ? undefined : (cursors.read(scope, query.cursor) as [string, string])
      const narrowed = query.course_id === undefined ? {} : { courseId: query.course_id }
      const [rows, total_count] = await Promise.all([
        store.listByAccount(caller.accountId, { limit: query.limit + 1, ...narrowed, ...(after === undefined ? {} : { after }) }),
        store.countByAccount(caller.accountId, query.course_id),
      ])
      const shown = rows.slice(0, query.limit)
      const last = shown.at(-1)
      const has_more = rows.length > shown.length
      const next_cursor = has_more && last !== undefined ? cursors.write(scope, [last.started_at, last.id]) : null
      return { items: shown.map(recordOf), has_more, next_cursor, total_count }
    },

    hint: giveHint,
  }
}

export type Evaluations = ReturnType<typeof createEvaluations>
