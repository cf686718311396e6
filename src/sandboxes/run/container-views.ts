// Keeps container views open for scenarios that ask for one. A view is opened when a sandbox is ready, and again when it has ended
// while its sandbox still runs: after a restart of the server or of the workstation, or when a user killed it.

import type { Scenario } from '../../catalog/scenario.ts'
import { type CircuitBreaker, createCircuitBreaker } from '../../circuit-breaker.ts'
import { type Clock, stopwatch } from '../../clock.ts'
import type { Engine, View } from '../../engine/engine.ts'
import { isLabError, messageOf } from '../../errors.ts'
import type { GradingLock } from '../../grading/grading-lock.ts'
import type { Log } from '../../log.ts'
import type { SandboxRow, SandboxStore } from '../../store/sandboxes.ts'
import { servicesOf } from '../access.ts'
import { createBackgroundLoop } from '../upkeep/background-loop.ts'

export interface ContainerViewsDeps {
  readonly store: SandboxStore
  readonly engine: Engine
  readonly catalog: Record<'scenarios' | 'drafts', readonly Pick<Scenario, 'id' | 'view'>[]>
  readonly gradingLock: Pick<GradingLock, 'released'>
  readonly clock: Clock
  readonly log: Log
  readonly node: string
}

const intervalMs = 3_000
/** A view that ends sooner counts as a failure; after a few of them it is not opened again for a while. */
const shortMs = 10_000

interface ViewEntry {
  readonly breaker: CircuitBreaker
  view: View | null
  opening: Promise<void> | null
}

export const createContainerViews = ({ store, engine, catalog, gradingLock, clock, log, node }: ContainerViewsDeps) => {
  const entries = new Map<string, ViewEntry>()
  const scenariosWithView = new Set([...catalog.scenarios, ...catalog.drafts].filter(({ view }) => view).map(({ id }) => id))
  let isClosed = false

  const isWanted = (row: SandboxRow) =>
    row.node === node && scenariosWithView.has(row.course_id) && (row.status === 'running' || row.status === 'completed')

  const entryOf = (sandbox: string): ViewEntry => {
    const entry = entries.get(sandbox) ?? { breaker: createCircuitBreaker(), view: null, opening: null }
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
      // A stopped workstation or an unavailable engine does not count as a failure of the view.
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

  const reconcile = async (): Promise<void> => {
    if (scenariosWithView.size === 0) return
    const live = await store.listLive()
    const ids = new Set(live.map(({ id }) => id))
    const ended = [...entries.keys()].filter((id) => !ids.has(id))
    await Promise.allSettled([...ended.map(letGo), ...live.filter(isWanted).map(keep)])
  }

  const run = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      await reconcile().catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'container views could not be reconciled'))
      await clock.sleep(intervalMs, signal).catch(() => undefined)
    }
  }

  const loop = createBackgroundLoop(run)

  return {
    start: loop.start,

    /** For a sandbox that has just become ready. A failure is retried later and does not delay the start. */
    openView: async (row: SandboxRow): Promise<void> => {
      if (scenariosWithView.has(row.course_id)) await keep(row)
    },

    /** Closes every view of this server; the sandboxes keep running. */
    stop: async (): Promise<void> => {
      isClosed = true
      await loop.stop()
      await Promise.allSettled([...entries.keys()].map(letGo))
    },
  }
}

export type ContainerViews = ReturnType<typeof createContainerViews>
