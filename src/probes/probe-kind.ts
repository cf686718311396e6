// The types of a kind of probe. Each kind is one file below kinds/ that has everything about it; the file gives it its name.

import type { z } from 'zod'
import type { Engine } from '../engine/engine.ts'
import type { Observation } from './observation.ts'

type Question = Record<string, unknown>

/** How a probe observes the sandbox. grading/observer.ts implements it. */
export interface ProbeObserver {
  readonly sandbox: string
  readonly engine: Engine
  /** Sends a request to the probe. */
  ask<Schema extends z.ZodType>(question: Question, schema: Schema, timeoutMs: number): Promise<z.infer<Schema>>
  /** Sends a request to the inspector of a service. Throws Unobservable. */
  inspect<Schema extends z.ZodType>(service: string, question: Question, schema: Schema): Promise<z.infer<Schema>>
}

/** What a probe can use beside its specification. */
export interface ProbeContext {
  readonly observer: ProbeObserver
  readonly scriptText: (path: string) => string
  readonly values: Readonly<Record<string, string | number>>
}

export interface ProbeKind<Spec> {
  /** What it looks at: a row of the table in docs/authoring.md. */
  readonly looksAt: string
  /** Where it observes from: what a user could have tampered with, and what not. */
  readonly from: 'the probe' | 'beside the service' | 'the engine' | 'the service'
  /** What an author writes; every key has a description. */
  readonly schema: z.ZodType<Spec>
  run(spec: Spec, context: ProbeContext): Promise<Observation>
  /** The files of a service whose content it relies on. */
  reads?(spec: Spec): readonly string[]
  /** The executables of a service that it requires to be the authored ones. */
  executables?(spec: Spec): readonly string[]
  /** The scripts of the scenario's folder that it runs. */
  scripts?(spec: Spec): readonly string[]
}

export type RunProbe<Schema extends z.ZodType> = ProbeKind<z.output<Schema>>['run']

/** Infers what an author writes from the schema. */
export const probeKind = <Spec>(kind: ProbeKind<Spec>): ProbeKind<Spec> => kind
