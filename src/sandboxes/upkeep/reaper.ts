// The reaper reconciles store and engine: it ends sandboxes that have expired, were not started completely or have disappeared from
// the engine, and removes from the engine what has no live row. It sees its own installation only.

import type { Clock } from '../../clock.ts'
import type { TerminationReason } from '../../contract/sandbox.ts'
import type { Engine, SandboxSummary } from '../../engine/engine.ts'
import { isLabError, messageOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { SandboxRow, SandboxStore } from '../../store/sandboxes.ts'
import type { SlotStore } from '../../store/slots.ts'
import { createBackgroundLoop } from './background-loop.ts'

export interface ReaperDeps {
  readonly store: SandboxStore
  readonly slots: SlotStore
  readonly engine: Engine
  readonly clock: Clock
  readonly log: Log
  readonly node: string
  readonly bootId: string
  /** Whether this server is still starting the sandbox. */
  readonly isUnderWay: (sandbox: string) => boolean
  /** Called when the containers of a sandbox had to be started again. */
  readonly resumeTraffic: (row: SandboxRow) => Promise<void>
  /** Further work after every pass. */
  readonly afterwards?: readonly (() => Promise<void>)[]
}

const isUnclaimed = ({ pool_state }: SandboxRow) => pool_state !== null

const intervalMs = 10_000
/** Objects that never had a row may belong to an isolation check, which gets this long to remove them itself. */
const unknownGraceMs = 60_000
/** How many repairs in a row may fail before a sandbox is ended. */
const mostRepairFailures = 3

export const createReaper = (deps: ReaperDeps) => {
  const { store, slots, engine, clock, log, node, bootId, isUnderWay, resumeTraffic, afterwards = [] } = deps
  const failedRepairs = new Map<string, number>()
  let abandonedBefore: ReadonlySet<string> = new Set()

  /** The row may have been claimed or extended since it was read, so the store decides. */
  const endsNow = (row: SandboxRow, reason: TerminationReason): Promise<boolean> => {
    const now = clock.now().toISOString()
    if (isUnclaimed(row)) return slots.evict(row.id, now)
    return reason === 'expired' ? store.expire(row.id, now) : store.markTerminated(row.id, reason, now)
  }

  const end = async (row: SandboxRow, reason: TerminationReason) => {
    if (!(await endsNow(row, reason))) return
    log.info({ sandbox: row.id, reason }, 'a sandbox was ended')
    await engine.destroy(row.id)
    if (isUnclaimed(row)) await store.erase(row.id)
  }

  const isUnfinished = ({ status, pool_state }: SandboxRow) => status === 'starting' && pool_state !== 'warm'

  /** A start of this server that is not in progress: the store was unavailable when its failure should have been written. */
  const isAbandoned = (row: SandboxRow) => isUnfinished(row) && row.boot_id === bootId && !isUnderWay(row.id)

  /** Why a live row must end, or null. A start that is just beginning looks abandoned too, but not in two passes. */
  const verdict = async (row: SandboxRow, onEngine: ReadonlySet<string>): Promise<TerminationReason | null> => {
    if (row.expires_at <= clock.now().toISOString()) return 'expired'
    if (isAbandoned(row) && abandonedBefore.has(row.id)) return 'failed'
    if (isUnfinished(row)) return row.node === node && row.boot_id !== bootId ? 'failed' : null
    if (onEngine.has(row.id)) return null
    return (await engine.describe(row.id)) === null ? 'failed' : null
  }

  /** A sandbox whose repair fails several times is ended. */
  const repair = async (row: SandboxRow): Promise<void> => {
    try {
      const startedAgain = await engine.repair(row.id)
      if (startedAgain) await resumeTraffic(row)
      failedRepairs.delete(row.id)
      log.info({ sandbox: row.id, startedAgain }, 'a sandbox was repaired')
    } catch (error) {
      if (isLabError(error, 'engine_unavailable')) throw error
      const failures = (failedRepairs.get(row.id) ?? 0) + 1
      failedRepairs.set(row.id, failures)
      log.error({ sandbox: row.id, reason: messageOf(error), failures }, 'a sandbox could not be repaired')
      if (failures < mostRepairFailures && !isLabError(error, 'not_found')) return
      failedRepairs.delete(row.id)
      await end(row, 'failed')
    }
  }

  const isOrphan = async (summary: SandboxSummary, liveIds: ReadonlySet<string>): Promise<boolean> => {
    if (liveIds.has(summary.id)) return false
    const now = clock.now().getTime()
    if (summary.deadline.getTime() <= now || now - summary.createdAt.getTime() > unknownGraceMs) return true
    return (await store.find(summary.id)) !== null
  }

  /** A failure is retried in the next pass and does not affect other sandboxes. */
  const reconcileOne = async (sandbox: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (isLabError(error, 'engine_unavailable')) throw error
      log.error({ sandbox, reason: messageOf(error) }, 'a sandbox could not be reconciled')
    }
  }

  /** One pass. The engine is listed before the rows are read, so that everything listed already has its row. */
  const reconcile = async (): Promise<void> => {
    const summaries = await engine.list()
    const rows = await store.listLive()
    const onEngine = new Set(summaries.map((summary) => summary.id))
    const broken = new Set(summaries.filter((summary) => !summary.intact).map((summary) => summary.id))
    const liveIds = new Set(rows.map((row) => row.id))
    for (const row of rows) {
      await reconcileOne(row.id, async () => {
        const reason = await verdict(row, onEngine)
        if (reason !== null) await end(row, reason)
        else if (broken.has(row.id) && row.pool_state === 'warm') await end(row, 'evicted')
        else if (broken.has(row.id) && row.status !== 'starting') await repair(row)
      })
    }
    abandonedBefore = new Set(rows.filter(isAbandoned).map((row) => row.id))
    for (const summary of summaries) {
      await reconcileOne(summary.id, async () => {
        if (!(await isOrphan(summary, liveIds))) return
        log.info({ sandbox: summary.id }, 'removing the remains of a sandbox')
        await engine.destroy(summary.id)
      })
    }
  }

  /** A server that was killed during a grading has left a sandbox prioritized. */
  const deprioritizeAll = async (signal: AbortSignal): Promise<void> => {
    const mine = (await store.listLive()).filter((row) => row.node === node && row.boot_id !== bootId)
    for (const { id } of mine) if (!signal.aborted) await reconcileOne(id, () => engine.prioritize(id, false))
  }

  /** After an outage the engine is prepared again, because the firewall rules may have been lost. */
  let wasAway = false

  const run = async (signal: AbortSignal) => {
    await deprioritizeAll(signal).catch((error: unknown) => log.error({ reason: messageOf(error) }, 'sandboxes could not be deprioritized'))
    while (!signal.aborted) {
      await clock.sleep(intervalMs, signal).catch(() => undefined)
      if (signal.aborted) return
      try {
        if (wasAway) await engine.prepare((message) => log.info(message))
        wasAway = false
        await reconcile()
      } catch (error) {
        wasAway = isLabError(error, 'engine_unavailable')
        log[wasAway ? 'warn' : 'error']({ reason: messageOf(error) }, 'the reaper could not finish its pass')
      }
      for (const work of afterwards) {
        await work().catch((error: unknown) => log.error({ reason: messageOf(error) }, 'work after a pass of the reaper failed'))
      }
    }
  }

  return { reconcile, ...createBackgroundLoop(run) }
}

export type Reaper = ReturnType<typeof createReaper>
