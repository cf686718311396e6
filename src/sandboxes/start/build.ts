// Builds a sandbox from a reserved row to a confirmed incident: images, containers, traffic, baseline, fault, symptom.

import type { Scenario } from '../../catalog/scenario.ts'
import type { Clock } from '../../clock.ts'
import type { Engine, Progress } from '../../engine/engine.ts'
import { createSemaphore } from '../../semaphore.ts'
import type { SandboxRow } from '../../store/sandboxes.ts'
import { stage } from './staging.ts'

export interface Build {
  readonly row: SandboxRow
  readonly scenario: Scenario
  /** The hard deadline in the labels of its engine objects; an extension cannot exceed it. */
  readonly deadline: Date
  readonly progress?: Progress
}

export type Builder = ReturnType<typeof createBuilder>

export interface BuilderDeps {
  readonly engine: Engine
  readonly clock: Clock
  /** How many are built at once: with more, some would not be ready in time. */
  readonly builds: number
}

/** Resolves with the baseline as JSON when the sandbox is ready for users. */
export const createBuilder = ({ engine, clock, builds }: BuilderDeps) => {
  const limited = createSemaphore(builds)
  return async ({ row, scenario, deadline, progress = () => undefined }: Build): Promise<string> => {
    await engine.ensureImages(scenario.images, progress)
    const request = { id: row.id, deadline, instance: scenario.instantiate(row.seed) }
    return JSON.stringify(await limited(() => stage(engine, clock, request, { fault: true, progress })))
  }
}
