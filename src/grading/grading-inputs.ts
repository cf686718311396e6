// Rebuilds what a sandbox is graded with: its scenario with the parameters it was started with, and its baseline.

import type { Catalog } from '../catalog/catalog.ts'
import type { ScenarioInstance } from '../catalog/scenario.ts'
import type { SandboxRow } from '../store/sandboxes.ts'
import { type Baseline, readBaseline } from './baseline.ts'

export const gradingInputsOf = (
  catalog: Catalog,
  { id, course_id, seed, baseline }: SandboxRow,
): { readonly instance: ScenarioInstance; readonly baseline: Baseline } => {
  if (baseline === null) throw new Error(`sandbox ${id} has no baseline`)
  return { instance: catalog.find(course_id).instantiate(seed), baseline: readBaseline(baseline) }
}
