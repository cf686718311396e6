// Runs the isolation check, unless it has passed a short while ago, and refuses an engine that fails it.

import type { Clock } from '../clock.ts'
import type { Engine, Progress } from './engine.ts'

/** The memory of a check that passed. */
export interface PassedCheck {
  /** What a check is about: this run of the engine, this program, these settings. Null when that cannot be told. */
  subject(): Promise<string | null>
  /** When a check of the same has passed, if that was a short while ago; else null. */
  passedAt(subject: string): Promise<string | null>
  remember(subject: string): Promise<void>
}

interface IsolationRequest {
  /** Undefined where others may change the engine: there it is checked at every start. */
  readonly passedCheck: PassedCheck | undefined
  readonly progress: Progress
  readonly interrupted: AbortSignal | undefined
  readonly clock: Clock
}

/** When its isolation was checked. Throws when sandboxes of an engine are not isolated, or when it is interrupted. */
export const requireIsolation = async (engine: Engine, request: IsolationRequest): Promise<string> => {
  const { passedCheck, progress, interrupted, clock } = request
  const subject = (await passedCheck?.subject()) ?? null
  const passedAt = subject === null ? null : ((await passedCheck?.passedAt(subject)) ?? null)
  if (passedAt !== null) return passedAt
  progress('checking that sandboxes are isolated')
  const leaks = (await engine.checkIsolation(interrupted)).filter((finding) => !finding.passed)
  if (leaks.length > 0) {
    throw new Error(`this engine does not isolate sandboxes: ${leaks.map(({ check, detail }) => `${check} (${detail})`).join('; ')}`)
  }
  // The engine that was checked, not one that has started meanwhile.
  if (subject !== null && subject === (await passedCheck?.subject())) await passedCheck?.remember(subject)
  return clock.now().toISOString()
}
