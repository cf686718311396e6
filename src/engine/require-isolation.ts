// Runs the isolation check, unless it has passed a short while ago, and refuses an engine that fails it.

import type { Engine, Progress } from './engine.ts'

/** The memory of a check that passed. */
export interface PassedCheck {
  /** What a check is about: this run of the engine, this program, these settings. Null when that cannot be told. */
  subject(): Promise<string | null>
  /** Whether a check of the same has passed a short while ago. */
  has(subject: string): Promise<boolean>
  remember(subject: string): Promise<void>
}

interface IsolationRequest {
  /** Undefined where others may change the engine: there it is checked at every start. */
  readonly passedCheck: PassedCheck | undefined
  readonly progress: Progress
  readonly interrupted: AbortSignal | undefined
}

/** Throws when sandboxes of an engine are not isolated, or when it is interrupted. */
export const requireIsolation = async (engine: Engine, { passedCheck, progress, interrupted }: IsolationRequest): Promise<void> => {
  const subject = (await passedCheck?.subject()) ?? null
  if (subject !== null && (await passedCheck?.has(subject))) return
  progress('checking that sandboxes are isolated')
  const leaks = (await engine.checkIsolation(interrupted)).filter((finding) => !finding.passed)
  if (leaks.length > 0) {
    throw new Error(`this engine does not isolate sandboxes: ${leaks.map(({ check, detail }) => `${check} (${detail})`).join('; ')}`)
  }
  // The engine that was checked, not one that has started meanwhile.
  if (subject !== null && subject === (await passedCheck?.subject())) await passedCheck?.remember(subject)
}
