// What a kind of probe is: one file below kinds/, which is all that there is to know about it. Its name is that of its file.

import type { z } from 'zod'
import type { Engine } from '../engine/engine.ts'
import type { Observation } from './observation.ts'

type Question = Record<string, unknown>

/** How a probe sees the sandbox. grading/observer.ts is the one that does it. */
export interface ProbeObserver {
  readonly sandbox: string
  readonly engine: Engine
  /** Asks the probe. */
  ask<Schema extends z.ZodType>(question: Question, schema: Schema, timeoutMs: number): Promise<z.infer<Schema>>
  /** Looks into a service. Throws Unobservable. */
  look<Schema extends z.ZodType>(service: string, question: Question, schema: Schema): Promise<z.infer<Schema>>
}

/** What a probe may refer to beside its own words. */
export interface ProbeContext {
  readonly observer: ProbeObserver
  readonly scriptText: (path: string) => string
  readonly values: Readonly<Record<string, string | number>>
}

export interface ProbeKind<Spec> {
  /** What it looks at: a row of the table in docs/authoring.md. */
  readonly looksAt: string
  /** Where the look is taken from: what a user could have tampered with, and what not. */
  readonly from: 'the probe' | 'beside the service' | 'the engine' | 'the service'
  /** What an author writes; every key has a description. */
  readonly schema: z.ZodType<Spec>
  look(spec: Spec, context: ProbeContext): Promise<Observation>
  /** The files of a service whose content it believes. */
  reads?(spec: Spec): readonly string[]
  /** The executables of a service that it takes for the authored ones. */
  executables?(spec: Spec): readonly string[]
  /** The scripts of the scenario's folder that it runs. */
  scripts?(spec: Spec): readonly string[]
}

export type Look<Schema extends z.ZodType> = ProbeKind<z.output<Schema>>['look']

/** Infers what an author writes from the schema. */
export const probeKind = <Spec>(kind: ProbeKind<Spec>): ProbeKind<Spec> => kind
