// Watches one sandbox and tells what changes. The store is looked at every two seconds, so that it does not matter which server has
// changed something; containers when the engine reports a change; gradings of this server tell of their steps themselves.

import type { Clock } from '../../clock.ts'
import type { ContainerState, SandboxEvent, SandboxSnapshot, SandboxState } from '../../contract/event.ts'
import type { Engine, ServiceState } from '../../engine/engine.ts'
import { messageOf } from '../../errors.ts'
import type { Evaluations } from '../../grading/evaluations.ts'
import type { GradingFeed } from '../../grading/grading-feed.ts'
import type { Log } from '../../log.ts'
import { endingOf } from '../../store/require-running.ts'
import type { SandboxRow, SandboxStore } from '../../store/sandboxes.ts'
import { dueOf, inMinutes } from '../run/expiry-reminders.ts'
import type { Terminals } from '../run/terminals.ts'
import type { SessionResponses } from '../session-response.ts'

export interface WatchDeps {
  readonly store: SandboxStore
  readonly engine: Engine
  readonly evaluations: Pick<Evaluations, 'last'>
  readonly feed: GradingFeed
  readonly sessionResponses: SessionResponses
  readonly terminals: Pick<Terminals, 'openIn' | 'onChange'>
  readonly clock: Clock
  readonly log: Log
}

const lookMs = 2_000
/** Containers are looked at without a reason after so many looks at the store, because the engine may have been away. */
const looksPerInventory = 15
/** Minutes before the end. */
const warnings = [10, 5, 1]

const containerOf = ({ name, running, exitCode, oomKilled, startedAt }: ServiceState): ContainerState => ({
  name,
  status: running ? 'running' : 'stopped',
  exit_code: exitCode,
  out_of_memory: oomKilled,
  started_at: startedAt?.toISOString() ?? null,
})

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** `told` receives every event but the snapshot; after `end` it is not called again. */
export const openWatch = (deps: WatchDeps, sandbox: string, told: (event: SandboxEvent) => void) => {
  const { store, engine, evaluations, feed, sessionResponses, terminals, clock, log } = deps
  const stopped = new AbortController()
  let work: Promise<void> = Promise.resolve()
  let known: Pick<SandboxSnapshot, 'sandbox' | 'containers' | 'evaluation'> | undefined
  let warned: { readonly end: string; readonly minutes: number } | undefined
  let isInventoryDue = true

  const tell = (event: SandboxEvent) => {
    if (!stopped.signal.aborted) told(event)
  }
  const stop = () => {
    if (stopped.signal.aborted) return
    stopped.abort()
    for (const end of [unfollow, unsubscribe, unlisten]) end()
  }

  /** Its containers, or those that were known where the engine does not answer. */
  const containersOf = async (row: SandboxRow): Promise<readonly ContainerState[]> => {
    const before = known?.containers ?? []
    if (!isInventoryDue || row.status === 'terminated') return before
    isInventoryDue = false
    const state = await engine.describe(sandbox).catch(() => {
      isInventoryDue = true
      return undefined
    })
    if (state === undefined || state === null) return before
    return state.services.map(containerOf).sort((one, other) => one.name.localeCompare(other.name))
  }

  const warn = ({ expires_at, status }: SandboxState) => {
    const minutes = status === 'terminated' ? undefined : dueOf(Date.parse(expires_at) - clock.now().getTime(), warnings)
    if (minutes === undefined || (warned?.end === expires_at && warned.minutes === minutes)) return
    warned = { end: expires_at, minutes }
    tell({ event: 'warning', data: { minutes_left: minutes, message: inMinutes(minutes) } })
  }

  const look = async (): Promise<void> => {
    if (stopped.signal.aborted) return
    const row = await store.find(sandbox)
    if (row === null) return finish(null, 'it is gone')
    const [state, containers] = [await sessionResponses.stateOf(row), await containersOf(row)]
    const isGraded = known === undefined || known.sandbox.evaluations_left !== state.evaluations_left
    const evaluation = isGraded ? await evaluations.last(sandbox) : (known?.evaluation ?? null)
    const before = known
    known = { sandbox: state, containers: [...containers], evaluation }
    if (before !== undefined) {
      if (evaluation !== null && evaluation.id !== before.evaluation?.id) tell({ event: 'evaluation', data: evaluation })
      if (!isSame(before.sandbox, state)) tell({ event: 'sandbox', data: state })
      const changed = containers.filter((container) => !before.containers.some((other) => isSame(other, container)))
      for (const data of changed) tell({ event: 'container', data })
    }
    warn(state)
    if (row.status === 'terminated') finish(row.termination_reason, endingOf(row) ?? 'it has ended')
  }
  const finish = (termination_reason: SandboxRow['termination_reason'], message: string) => {
    tell({ event: 'end', data: { termination_reason, message: `the sandbox has ended: ${message}` } })
    stop()
  }

  /** One look at a time. A look that fails is tried again by the next. */
  const lookNow = (): Promise<void> => {
    work = work.then(look).catch((error: unknown) => log.warn({ sandbox, reason: messageOf(error) }, 'a sandbox could not be looked at'))
    return work
  }

  const unfollow = feed.follow(sandbox, (event) => {
    if (event.event !== 'graded') tell(event)
    if (event.event === 'graded' || event.event === 'grading_failed') void lookNow()
  })
  const unsubscribe = engine.onServiceChange(sandbox, () => {
    isInventoryDue = true
    void lookNow()
  })
  const unlisten = terminals.onChange(sandbox, () => tell({ event: 'terminals', data: { open: terminals.openIn(sandbox) } }))
  const keepLooking = async () => {
    for (let looks = 1; !stopped.signal.aborted; looks += 1) {
      await lookNow()
      if (looks % looksPerInventory === 0) isInventoryDue = true
      await clock.sleep(lookMs, stopped.signal).catch(() => undefined)
    }
  }
  void keepLooking()

  return {
    /** What is known; null while the store has not answered. */
    snapshot: (): Omit<SandboxSnapshot, 'guests'> | null =>
      known === undefined ? null : { ...known, grading: feed.current(sandbox), terminals: terminals.openIn(sandbox) },
    /** Resolves after another look. */
    lookNow,
    stop,
  }
}

export type Watch = ReturnType<typeof openWatch>
