// Whether a sandbox can still be used, and why one has ended.

import type { TerminationReason } from '../contract/sandbox.ts'
import { LabError } from '../errors.ts'
import type { SandboxRow } from './sandboxes.ts'

const endings: Record<TerminationReason, string> = {
  stopped: 'it was stopped',
  expired: 'it expired',
  failed: 'it failed',
  disk_exceeded: 'it exceeded its disk allowance',
  evicted: 'its slot was needed for another sandbox',
}

type Ended = { readonly [Name in 'termination_reason' | 'termination_by' | 'termination_note']?: SandboxRow[Name] | undefined }

/** Why a sandbox has ended; null while it has not. */
export const endingOf = ({ termination_reason: reason, termination_by, termination_note: note }: Ended): string | null => {
  if (reason === null || reason === undefined) return null
  if (termination_by !== 'operator') return endings[reason]
  return `it was ended by the operator${note === null || note === undefined ? '' : `: ${note}`}`
}

/** Why commands and grading make no sense; null while they do. */
export const notRunning = (row: SandboxRow): LabError | null => {
  if (row.status === 'running' || row.status === 'completed') return null
  return new LabError('sandbox_not_running', [`the sandbox is ${row.status}`, endingOf(row)].filter(Boolean).join(': '), {
    hint: row.status === 'starting' ? 'wait until it is running' : 'start another one',
  })
}

/** Throws sandbox_not_running unless commands and grading make sense. */
export const requireRunning = (row: SandboxRow): SandboxRow => {
  const reason = notRunning(row)
  if (reason !== null) throw reason
  return row
}
