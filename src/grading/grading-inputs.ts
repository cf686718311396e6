// Rebuilds what a sandbox is graded with: its scenario with the parameters it was started with, and its baseline.

import type { Catalog } from '../catalog/catalog.ts'
import type { ScenarioInstance } from '../catalog/scenario-instance.ts'
import type { Engine } from '../engine/engine.ts'
import type { SandboxRow } from '../store/sandboxes.ts'
import { type Baseline, readBaseline, versionIn } from './baseline.ts'
import { instanceOf, requireVersion } from './baseline-version.ts'

/** Throws sandbox_outdated where another version of the server or of the course recorded the baseline. */
export const gradingInputsOf = async (
  { catalog, engine }: { readonly catalog: Catalog; readonly engine: Engine },
  { id, course_id, seed, baseline }: SandboxRow,
): Promise<{ readonly instance: ScenarioInstance; readonly baseline: Baseline }> => {
  if (baseline === null) throw new Error(`sandbox ${id} has no baseline`)
  const instance = instanceOf(catalog, course_id, seed)
  await requireVersion(versionIn(baseline), engine, instance)
  return { instance, baseline: readBaseline(baseline) }
}
