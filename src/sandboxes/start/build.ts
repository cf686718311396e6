// The way from a reserved row to a confirmed incident: images, machines, customers, the healthy state, the fault, the symptom.

import type { Scenario } from '../../catalog/scenario.ts'
import type { Clock } from '../../clock.ts'
import type { Engine, Progress } from '../../engine/engine.ts'
import { createSemaphore } from '../../semaphore.ts'
import type { SandboxRow } from '../../store/sandboxes.ts'
import { stage } from './staging.ts'

export interface Build {
  readonly row: SandboxRow
  readonly scenario: Scenario
  /** What its engine objects carry; no extension passes it. */
  readonly deadline: Date
  readonly progress?: Progress
}

export type Builder = ReturnType<typeof createBuilder>

export interface BuilderDeps {
  readonly engine: Engine
  readonly clock: Clock
  /** At once: more would all be slow, some of them too slow to get ready in time. */
  readonly builds: number
}

/** Builds a sandbox as far as a user finds it. Resolves with its recorded healthy state, as JSON. */
export const createBuilder = ({ engine, clock, builds }: BuilderDeps) => {
  const limited = createSemaphore(builds)
  return async ({ row, scenario, deadline, progress = () => undefined }: Build): Promise<string> => {
    await engine.ensureImages(scenario.images, progress)
    const request = { id: row.id, deadline, instance: scenario.instantiate(row.seed) }
    return JSON.stringify(await limited(() => stage(engine, clock, request, { fault: true, progress })))
  }
}
