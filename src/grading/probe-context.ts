// What a probe is given beside its own words, and what it gives back.

import type { Observation } from './observation.ts'
import type { Observer } from './observer.ts'

/** What a probe may refer to beside its own words. */
export interface ProbeContext {
  readonly observer: Observer
  readonly scriptText: (path: string) => string
  readonly values: Readonly<Record<string, string | number>>
}

export type Look<Spec> = (spec: Spec, context: ProbeContext) => Promise<Observation>
