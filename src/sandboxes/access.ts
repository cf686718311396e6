// Who may act in a sandbox. An owner always may; whoever holds the session id may where holding it suffices.

import type { Account, Caller } from '../accounts/caller.ts'
import type { TerminationReason } from '../contract/sandbox.ts'
import { LabError } from '../errors.ts'
import type { SandboxRow, SandboxStore } from '../store/sandboxes.ts'
import type { SessionIds } from './session-id.ts'

export const unknownSandbox = () =>
  new LabError('not_found', 'there is no such sandbox', { hint: 'check the session_id, or start a sandbox; an ended one stays ended' })

export const createAccess = ({ store, sessionIds }: { readonly store: SandboxStore; readonly sessionIds: SessionIds }) => {
  const bySession = async (sessionId: string): Promise<SandboxRow> => {
    const id = sessionIds.open(sessionId)
    const row = id === null ? null : await store.find(id)
    if (row === null) throw unknownSandbox()
    return row
  }

  return {
    sessionIdOf: sessionIds.of,

    /** The caller's own sandbox, by its session id. Throws not_found. */
    owned: async (caller: Account, sessionId: string): Promise<SandboxRow> => {
      const row = await bySession(sessionId)
      if (row.account_id !== caller.accountId) throw unknownSandbox()
      return row
    },

    ownedById: async (caller: Account, id: string): Promise<SandboxRow> => {
      const row = await store.find(id)
      if (row === null || row.account_id !== caller.accountId) throw unknownSandbox()
      return row
    },

    /** The sandbox of whoever holds the session id; an account other than its owner's holds nothing. Throws not_found. */
    held: async (caller: Caller, sessionId: string): Promise<SandboxRow> => {
      const row = await bySession(sessionId)
      const foreign = caller.kind === 'account' && row.account_id !== null && row.account_id !== caller.accountId
      if (foreign) throw unknownSandbox()
      return row
    },
  }
}

export type Access = ReturnType<typeof createAccess>

const endings: Record<TerminationReason, string> = {
  stopped: 'it was stopped',
  expired: 'its time was up',
  failed: 'it broke',
  disk_exceeded: 'it kept more on disk than a sandbox may',
  evicted: 'its place was needed',
}

/** Why a sandbox has ended; null while it has not. */
export const endingOf = (row: SandboxRow): string | null => (row.termination_reason === null ? null : endings[row.termination_reason])

/** Throws sandbox_not_running unless commands and grading make sense. */
export const requireRunning = (row: SandboxRow): SandboxRow => {
  if (row.status === 'running' || row.status === 'completed') return row
  throw new LabError('sandbox_not_running', [`the sandbox is ${row.status}`, endingOf(row)].filter(Boolean).join(': '), {
    hint: row.status === 'starting' ? 'wait until it runs' : 'start another one',
  })
}

/** What can be entered; the first is the workstation. */
export const servicesOf = (row: SandboxRow): string[] => JSON.parse(row.containers) as string[]

/** The service that is meant, the workstation by default. Throws invalid_request. */
export const serviceIn = (row: SandboxRow, wanted: string | undefined): string => {
  const containers = servicesOf(row)
  const service = wanted ?? (containers[0] as string)
  if (containers.includes(service)) return service
  throw new LabError('invalid_request', `container: there is no ${service} in this sandbox`, { hint: `one of ${containers.join(', ')}` })
}
