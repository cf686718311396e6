// Runs the isolation check, and refuses an engine that fails it.

import type { Engine } from './engine.ts'

/** Throws when sandboxes of an engine are not isolated, or when it is interrupted. */
export const requireIsolation = async (engine: Engine, interrupted?: AbortSignal): Promise<void> => {
  const leaks = (await engine.checkIsolation(interrupted)).filter((finding) => !finding.passed)
  if (leaks.length === 0) return
  throw new Error(`this engine does not isolate sandboxes: ${leaks.map(({ check, detail }) => `${check} (${detail})`).join('; ')}`)
}
