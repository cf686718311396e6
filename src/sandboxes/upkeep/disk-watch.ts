// Ends a sandbox that keeps more on the engine's disk than it may, long before the disk is full. Free space is read
// several times a second; sizes are measured when it has fallen so far that somebody could be over the allowance, and now and then anyway.

import { type Clock, stopwatch } from '../../clock.ts'
import type { DiskMeter, DiskRoom, DiskUse, Engine } from '../../engine/engine.ts'
import { isLabError, messageOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { SandboxStore } from '../../store/sandboxes.ts'
import { createLoop } from './loop.ts'

export interface DiskWatchDeps {
  readonly store: SandboxStore
  readonly engine: Engine
  readonly clock: Clock
  readonly log: Log
  /** What a sandbox may keep on the disk. */
  readonly allowanceBytes: number
  /** When less of the disk than this is free, whoever hides what they keep is ended too. */
  readonly scarceShare?: number
  /** Called when a slot has become free. */
  readonly advance: () => Promise<void>
}

const intervalMs = 250
/** For whatever the falls did not show: while somebody wrote, somebody else may have given back as much. */
const regularMs = 60_000
/** Where free space cannot be read by itself, where little of it is left, and where sizes were only rough. */
const anxiousMs = 5_000
const lastingRough = 3
const leastFallBytes = 32 * 1024 ** 2
/** What a file counts beside its contents. */
const fileBytes = 16 * 1024

export const createDiskWatch = ({ store, engine, clock, log, allowanceBytes, scarceShare = 0.1, advance }: DiskWatchDeps) => {
  let last: DiskRoom | null = null
  let fallenBytes = 0
  let largestBytes = 0
  let measuredAt = Number.NEGATIVE_INFINITY
  let roughBecause: string | null = null
  let roughInARow = 0

  const isScarce = (room: DiskRoom | null) => room !== null && room.freeBytes < room.totalBytes * scarceShare

  /** Nobody can have grown by more than all falls together. */
  const isDue = (room: DiskRoom | null): boolean => {
    if (room !== null && last !== null) {
      const fewerFiles = (last.freeFiles - room.freeFiles) * fileBytes
      fallenBytes += Math.max(0, last.freeBytes - room.freeBytes, fewerFiles)
    }
    last = room
    const sinceMs = clock.now().getTime() - measuredAt
    if (fallenBytes >= Math.max(leastFallBytes, allowanceBytes - largestBytes)) return true
    return sinceMs >= (room === null || isScarce(room) || roughBecause !== null ? anxiousMs : regularMs)
  }

  const markEnded = (sandbox: string) => store.markTerminated(sandbox, 'disk_exceeded', clock.now().toISOString())

  /** Whoever marks the row first removes the sandbox. A store that cannot write, perhaps for want of disk, gets its room first. */
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
    await engine.freeze(sandbox) // removing takes seconds, in which it would write on
    await engine.destroy(sandbox)
    void advance()
  }

  /** Said when it begins and when it ends, not at every measurement. */
  const note = (reason: string | null) => {
    if (reason !== null && roughBecause === null) log.error({ reason }, 'the disk use of sandboxes can only be estimated')
    if (reason === null && roughBecause !== null) log.info('the disk use of sandboxes is measured exactly again')
    roughBecause = reason
    roughInARow = reason === null ? 0 : roughInARow + 1
  }

  const measure = async (meter: DiskMeter) => {
    const { room, uses, roughBecause: reason } = await meter.measure(allowanceBytes)
    note(reason)
    const isOver = ({ bytes, hides }: DiskUse) => bytes > allowanceBytes || (hides && isScarce(room))
    measuredAt = clock.now().getTime()
    last = room
    fallenBytes = 0
    largestBytes = Math.max(0, ...[...uses.values()].filter((use) => !isOver(use)).map(({ bytes }) => bytes))
    const ends = await Promise.allSettled([...uses].filter(([, use]) => isOver(use)).map(([sandbox, use]) => end(sandbox, use)))
    const failed = ends.find((outcome) => outcome.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  /** How long it may take until the next look. */
  const look = async (meter: DiskMeter): Promise<number> => {
    const elapsed = stopwatch()
    try {
      if (isDue(await meter.room())) await measure(meter)
      return Math.max(intervalMs, elapsed()) // whoever makes measuring slow does not make it all that is done
    } catch (error) {
      const away = isLabError(error, 'engine_unavailable')
      log[away ? 'warn' : 'error']({ reason: messageOf(error) }, 'the disk use of sandboxes could not be checked')
      return anxiousMs
    }
  }

  const run = async (signal: AbortSignal) => {
    const meter = engine.openDiskMeter()
    while (!signal.aborted) {
      const pauseMs = await look(meter)
      await clock.sleep(pauseMs, signal).catch(() => undefined)
    }
    await meter.close().catch(() => undefined) // it ends by itself when nobody asks it any more
  }

  return {
    ...createLoop(run),
    /** Rejects while sandboxes are measured only roughly; one busy moment is not worth it. */
    ping: async (): Promise<void> => {
      if (roughInARow >= lastingRough) throw new Error(`the disk use of sandboxes can only be estimated: ${roughBecause}`)
    },
  }
}

export type DiskWatch = ReturnType<typeof createDiskWatch>
