// Keeps the docker command of workstations at work, where a scenario asks for one: opened when a sandbox is handed over, and
// again whenever it has ended while its sandbox lives: because the server or the workstation started anew, or a user killed it.

import type { Scenario } from '../../catalog/scenario.ts'
import { type CircuitBreaker, createCircuitBreaker } from '../../circuit-breaker.ts'
import { type Clock, stopwatch } from '../../clock.ts'
import type { Engine, View } from '../../engine/engine.ts'
import { isLabError, messageOf } from '../../errors.ts'
import type { GradingLock } from '../../grading/grading-lock.ts'
import type { Log } from '../../log.ts'
import type { SandboxRow, SandboxStore } from '../../store/sandboxes.ts'
import { servicesOf } from '../access.ts'
import { createLoop } from '../upkeep/loop.ts'

export interface ViewsDeps {
  readonly store: SandboxStore
  readonly engine: Engine
  readonly catalog: Record<'scenarios' | 'drafts', readonly Pick<Scenario, 'id' | 'view'>[]>
  readonly gradingLock: Pick<GradingLock, 'released'>
  readonly clock: Clock
  readonly log: Log
  readonly node: string
}

const intervalMs = 3_000
/** One that ends sooner than this was not worth opening: after a few of those there is peace for a while. */
const shortMs = 10_000

interface ViewEntry {
  readonly breaker: CircuitBreaker
  view: View | null
  opening: Promise<void> | null
}

export const createViews = ({ store, engine, catalog, gradingLock, clock, log, node }: ViewsDeps) => {
  const entries = new Map<string, ViewEntry>()
  const scenariosWithView = new Set([...catalog.scenarios, ...catalog.drafts].filter(({ view }) => view).map(({ id }) => id))
  let isClosed = false

  const isWanted = (row: SandboxRow) =>
    row.node === node && scenariosWithView.has(row.course_id) && (row.status === 'running' || row.status === 'completed')

  const entryOf = (sandbox: string): ViewEntry => {
    const entry = entries.get(sandbox) ?? { breaker: createCircuitBreaker(clock), view: null, opening: null }
    entries.set(sandbox, entry)
    return entry
  }

  const openIn = async (entry: ViewEntry, sandbox: string, service: string): Promise<void> => {
    try {
      const view = await engine.openView({ sandbox, service }, { beforeChange: () => gradingLock.released(sandbox) })
      if (isClosed || entries.get(sandbox) !== entry) return await view.close()
      const elapsed = stopwatch()
      entry.view = view
      void view.closed.then(() => {
        entry.view = null
        if (elapsed() < shortMs) entry.breaker.failed()
        else entry.breaker.succeeded()
      })
    } catch (error) {
      // A workstation that does not run, or an engine that is away, says nothing about the next try.
      if (isLabError(error) && !isLabError(error, 'command_not_started')) return
      entry.breaker.failed()
      log.warn({ sandbox, reason: messageOf(error), paused: entry.breaker.isOpen() }, 'a container view could not be opened')
    }
  }

  const keep = async (row: SandboxRow): Promise<void> => {
    const entry = entryOf(row.id)
    if (isClosed || entry.view !== null || entry.breaker.isOpen()) return
    entry.opening ??= openIn(entry, row.id, servicesOf(row)[0] as string).finally(() => {
      entry.opening = null
    })
    await entry.opening
  }

  const letGo = async (sandbox: string): Promise<void> => {
    const entry = entries.get(sandbox)
    entries.delete(sandbox)
    await entry?.opening
    await entry?.view?.close()
  }

  const tend = async (): Promise<void> => {
    if (scenariosWithView.size === 0) return
    const live = await store.listLive()
    const ids = new Set(live.map(({ id }) => id))
    const ended = [...entries.keys()].filter((id) => !ids.has(id))
    await Promise.allSettled([...ended.map(letGo), ...live.filter(isWanted).map(keep)])
  }

  const run = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      await tend().catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'container views could not be reconciled'))
      await clock.sleep(intervalMs, signal).catch(() => undefined)
    }
  }

  const loop = createLoop(run)

  return {
    start: loop.start,

    /** For a sandbox that is about to be handed over. What goes wrong is tried again later, and keeps nobody waiting. */
    openView: async (row: SandboxRow): Promise<void> => {
      if (scenariosWithView.has(row.course_id)) await keep(row)
    },

    /** Ends every view of this server; the sandboxes live on. */
    stop: async (): Promise<void> => {
      isClosed = true
      await loop.stop()
      await Promise.allSettled([...entries.keys()].map(letGo))
    },
  }
}

export type Views = ReturnType<typeof createViews>
