// Ends sandboxes that exceed their disk allowance, long before the disk is full. Free space is read several times a second. Sizes
// are measured when free space has fallen so far that a sandbox could exceed its allowance, and at regular intervals.

import { type Clock, stopwatch } from '../../clock.ts'
import type { DiskMeter, DiskRoom, DiskUse, Engine } from '../../engine/engine.ts'
import { isLabError, messageOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { SandboxStore } from '../../store/sandboxes.ts'
import { createBackgroundLoop } from './background-loop.ts'

export interface DiskWatchDeps {
  readonly store: SandboxStore
  readonly engine: Engine
  readonly clock: Clock
  readonly log: Log
  /** The disk allowance of a sandbox. */
  readonly allowanceBytes: number
  /** When a smaller share of the disk is free, sandboxes that cannot be measured fully are ended too. */
  readonly scarceShare?: number
  /** Called when a slot has become free. */
  readonly advance: () => Promise<void>
}

const intervalMs = 250
/** The regular interval: free space does not fall while one sandbox writes as much as another deletes. */
const regularMs = 60_000
/** The interval where free space cannot be read, where little is left, and where sizes were only estimated. */
const shortMs = 5_000
const lastingRough = 3
const leastFallBytes = 32 * 1024 ** 2
/** What a file counts beside its blocks. */
const fileBytes = 16 * 1024

export const createDiskWatch = ({ store, engine, clock, log, allowanceBytes, scarceShare = 0.1, advance }: DiskWatchDeps) => {
  let last: DiskRoom | null = null
  let fallenBytes = 0
  let largestBytes = 0
  let measuredAt = Number.NEGATIVE_INFINITY
  let roughBecause: string | null = null
  let roughInARow = 0
  let hidBefore: ReadonlySet<string> = new Set()

  const isScarce = (room: DiskRoom | null) => room !== null && room.freeBytes < room.totalBytes * scarceShare

  /** A sandbox cannot have grown by more than the sum of all decreases of free space. */
  const isDue = (room: DiskRoom | null): boolean => {
    if (room !== null && last !== null) {
      const fewerFiles = (last.freeFiles - room.freeFiles) * fileBytes
      fallenBytes += Math.max(0, last.freeBytes - room.freeBytes, fewerFiles)
    }
    last = room
    const sinceMs = clock.now().getTime() - measuredAt
    if (fallenBytes >= Math.max(leastFallBytes, allowanceBytes - largestBytes)) return true
    return sinceMs >= (room === null || isScarce(room) || roughBecause !== null ? shortMs : regularMs)
  }

  const markEnded = (sandbox: string) => store.markTerminated(sandbox, 'disk_exceeded', clock.now().toISOString())

  /** The server that marks the row removes the sandbox. If the store cannot write, perhaps because the disk is full, it is removed first. */
  const end = async (sandbox: string, { bytes, hides }: DiskUse) => {
    let isMine: boolean
    try {
      isMine = await markEnded(sandbox)
    } catch {
      await engine.destroy(sandbox)
      isMine = await markEnded(sandbox)
    }
    if (!isMine) return
    log.warn({ sandbox, bytes, hides }, 'a sandbox was removed: it exceeded its disk allowance')
    await engine.freeze(sandbox) // removal takes seconds, in which it would go on writing
    await engine.destroy(sandbox)
    void advance()
  }

  /** Logged when it begins and when it ends, not at every measurement. */
  const note = (reason: string | null) => {
    if (reason !== null && roughBecause === null) log.error({ reason }, 'the disk use of sandboxes can only be estimated')
    if (reason === null && roughBecause !== null) log.info('the disk use of sandboxes is measured exactly again')
    roughBecause = reason
    roughInARow = reason === null ? 0 : roughInARow + 1
  }

  const measure = async (meter: DiskMeter) => {
    const { room, uses, roughBecause: reason } = await meter.measure(allowanceBytes)
    note(reason)
    const isOver = ({ bytes }: DiskUse) => bytes > allowanceBytes
    const hiding = new Set([...uses].filter(([, { hides }]) => hides).map(([sandbox]) => sandbox))
    const isScarceNow = isScarce(room)
    // One measurement may fail for lack of time, so a sandbox counts as hiding when two in a row did not see all of it.
    const over = [...uses].filter(([sandbox, use]) => isOver(use) || (isScarceNow && hiding.has(sandbox) && hidBefore.has(sandbox)))
    hidBefore = hiding
    // Where one exceeds its allowance, the others are measured only in part: that is done again at once.
    const isFinal = over.length === 0 && (!isScarceNow || hiding.size === 0)
    measuredAt = isFinal ? clock.now().getTime() : Number.NEGATIVE_INFINITY
    last = room
    fallenBytes = 0
    largestBytes = Math.max(0, ...[...uses.values()].filter((use) => !isOver(use)).map(({ bytes }) => bytes))
    const ends = await Promise.allSettled(over.map(([sandbox, use]) => end(sandbox, use)))
    const failed = ends.find((outcome) => outcome.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  /** Returns how long to wait before the next check. */
  const check = async (meter: DiskMeter): Promise<number> => {
    const elapsed = stopwatch()
    try {
      if (isDue(await meter.room())) await measure(meter)
      return Math.max(intervalMs, elapsed()) // slow measurements take at most half of the time
    } catch (error) {
      const away = isLabError(error, 'engine_unavailable')
      log[away ? 'warn' : 'error']({ reason: messageOf(error) }, 'the disk use of sandboxes could not be checked')
      return shortMs
    }
  }

  const run = async (signal: AbortSignal) => {
    const meter = engine.openDiskMeter()
    while (!signal.aborted) {
      const pauseMs = await check(meter)
      await clock.sleep(pauseMs, signal).catch(() => undefined)
    }
    await meter.close().catch(() => undefined) // it ends by itself when it gets no more requests
  }

  return {
    ...createBackgroundLoop(run),
    /** For the health check: rejects while sizes are only estimated, except for a short time. */
    ping: async (): Promise<void> => {
      if (roughInARow >= lastingRough) throw new Error(`the disk use of sandboxes can only be estimated: ${roughBecause}`)
    },
  }
}

export type DiskWatch = ReturnType<typeof createDiskWatch>
