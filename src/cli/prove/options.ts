// What `prove` is told, and what each of its modes works with.

import type { Scenario } from '../../catalog/scenario.ts'
import { LabError } from '../../errors.ts'
import type { ProofDeps } from '../../proofs/case-sandbox.ts'
import type { ProofContent } from '../../proofs/proof-record.ts'
import type { Display } from '../lib/display.ts'
import type { KeptSandbox } from '../lib/kept-sandboxes.ts'
import type { DataOptions } from '../lib/options.ts'

export interface ProveOptions extends DataOptions {
  readonly runs: string
  readonly jobs: string
  readonly seed?: string
  readonly only?: string
  readonly changed?: boolean
  readonly keep?: boolean
  readonly json?: boolean
  /** True where no number was given. */
  readonly mutate?: string | true
  readonly fair?: string | true
}

export interface ProveContext {
  readonly deps: ProofDeps
  readonly scenarios: readonly Scenario[]
  /** Hashed before the first run. */
  readonly contents: ReadonlyMap<Scenario, ProofContent>
  readonly display: Display
  readonly describeKept: (kept: readonly KeptSandbox[]) => readonly string[]
}

export const whole = (name: string, text: string): number => {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new LabError('invalid_request', `--${name} must be an integer of at least 1`)
  return value
}
