// Gives the next hint whose condition holds in the current state of the sandbox.

import type { Catalog } from '../catalog/catalog.ts'
import type { Clock } from '../clock.ts'
import type { Hint } from '../contract/evaluation.ts'
import type { Engine } from '../engine/engine.ts'
import { LabError } from '../errors.ts'
import { readIndexes } from '../store/json-columns.ts'
import { requireRunning } from '../store/require-running.ts'
import type { SandboxRow, SandboxStore } from '../store/sandboxes.ts'
import { baselineNames } from './baseline.ts'
import { gradingInputsOf } from './grading-inputs.ts'
import { openObserver } from './observer.ts'
import { observe } from './probe-tree.ts'

export interface HintsDeps {
  readonly store: SandboxStore
  readonly engine: Engine
  readonly catalog: Catalog
  readonly clock: Clock
}

export const createHints = ({ store, engine, catalog, clock }: HintsDeps) => {
  /** General ones come first. One whose condition does not hold now may be given later. */
  const give = async (row: SandboxRow): Promise<Hint> => {
    requireRunning(row)
    const { instance, baseline } = await gradingInputsOf({ catalog, engine }, row)
    const given = readIndexes(row.hints_given)
    const left = instance.hints.map((hint, index) => ({ ...hint, index })).filter(({ index }) => !given.includes(index))
    const observer = openObserver(engine, row.id)
    try {
      const context = { observer, scriptText: instance.scriptText, values: baselineNames(baseline) }
      for (const { when, text, index } of left) {
        if (when !== undefined && !(await observe(when, context)).passed) continue
        if (await store.giveHint(row, index, clock.now().toISOString())) return { level: index + 1, text, hints_left: left.length - 1 }
        return give((await store.find(row.id)) ?? row) // another request took this hint at the same time
      }
    } finally {
      await observer.close()
    }
    throw new LabError('not_found', 'there is no hint left for the current state of this sandbox', { hint: 'read the brief again' })
  }

  return { give }
}

export type Hints = ReturnType<typeof createHints>
