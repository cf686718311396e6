// The types of a class of changes. A change is whatever is done on top of a good repair: a damage (../mutations/kinds/), which grading must
// find, or a harmless change (../fairness/kinds/), which it must let pass. Each class is one file.

import type { ScenarioInstance } from '../../catalog/scenario-instance.ts'
import type { ShellStep } from '../case-sandbox.ts'
import type { Inventory } from './inventory-schema.ts'
import type { Random } from './random.ts'

/** A script in a service, or a restart of a service as a user causes one. */
export type ChangeStep = ShellStep | { readonly restart: string }

export interface Candidate {
  /** The same for the same scenario, whatever the seed. */
  readonly name: string
  readonly steps: readonly ChangeStep[]
  /** Done in the place of the reference solution, and not on top of it. */
  readonly instead?: true
  /** How likely it is drawn beside others of its class; 1 unless told otherwise. */
  readonly weight?: number
}

/** What is known of a scenario, and what was seen in a repaired sandbox of it. */
export interface Subject {
  readonly instance: ScenarioInstance
  /** The service on which the terminal opens: the user's own machine. */
  readonly workstation: string
  /** The reference solution. */
  readonly repair: readonly ShellStep[]
  /** Every solution, the reference too. */
  readonly solutions: readonly { readonly name: string; readonly steps: readonly ShellStep[] }[]
  readonly seen: Inventory
}

export interface ChangeKind {
  /** What is done, in a few words. */
  readonly means: string
  readonly candidates: (subject: Subject, random: Random) => Candidate[]
}

/** A candidate with its class. */
export interface Change extends Candidate {
  readonly class: string
}

/** Infers nothing, but says what a file below kinds/ must export. */
export const changeKind = (kind: ChangeKind): ChangeKind => kind
