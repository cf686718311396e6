// The types of a probe: what it is given beside its specification, and what it returns.

import type { Observation } from './observation.ts'
import type { Observer } from './observer.ts'

/** What a probe can use beside its specification. */
export interface ProbeContext {
  readonly observer: Observer
  readonly scriptText: (path: string) => string
  readonly values: Readonly<Record<string, string | number>>
}

export type RunProbe<Spec> = (spec: Spec, context: ProbeContext) => Promise<Observation>
